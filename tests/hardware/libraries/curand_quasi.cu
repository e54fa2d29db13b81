// cuRAND's quasirandom generators, their direction vectors, and the Mersenne twisters, bit by bit.
#include "curand_cases.h"

/// Those of 64 bits make numbers of 64 bits, and the others of 32.
template <class Word>
curandStatus_t words(curandGenerator_t generator, Word* to, std::size_t count) {
    if constexpr (sizeof(Word) == 8)
        return curandGenerateLongLong(generator, to, count);
    else
        return curandGenerate(generator, to, count);
}

template <class Word>
void all_of(const char* name, curandRngType_t type, bool quasi) {
    constexpr std::size_t many = 300000, dimensions = 5;
    const auto make = [&] { return Generator(type, quasi ? 0 : 1234); };
    generate<Word>(name, "raw", many, [&](Word* to) { words(make().handle, to, many); });
    generate<Word>(name, "raw, in parts", many, [&](Word* to) {
        const Generator generator = make();
        std::size_t at = 0;
        for (const std::size_t part : {5, 1000, 3, 4096, 100000, 1, 90000, 81920, 22975}) {
            words(generator.handle, to + at, part);
            at += part;
        }
    });
    generate<Word>(name, "raw, offset", 70000, [&](Word* to) {
        const Generator generator = make();
        std::printf("%s offset: exact %d\n", name, curandSetGeneratorOffset(generator.handle, 1000003));
        words(generator.handle, to, 70000);
    });
    if (quasi) {
        generate<Word>(name, "raw, dimensions", many, [&](Word* to) {
            const Generator generator = make();
            curandSetQuasiRandomGeneratorDimensions(generator.handle, dimensions);
            words(generator.handle, to, 30000);
            words(generator.handle, to + 30000, many - 30000);
        });
        generate<Word>(name, "raw, 20000 dimensions", 40000, [&](Word* to) {
            const Generator generator = make();
            curandSetGeneratorOffset(generator.handle, 77);
            curandSetQuasiRandomGeneratorDimensions(generator.handle, 20000);
            words(generator.handle, to, 40000);
        });
    } else {
        generate<Word>(name, "raw, default seed", many, [&](Word* to) { words(Generator(type, 0).handle, to, many); });
        generate<Word>(name, "raw, large seed", 5000, [&](Word* to) {
            words(Generator(type, 0xfedcba9876543210ull).handle, to, 5000);
        });
        generate<Word>(name, "raw, legacy", many, [&](Word* to) {
            const Generator generator = make();
            std::printf("%s legacy: exact %d\n", name,
                        curandSetGeneratorOrdering(generator.handle, CURAND_ORDERING_PSEUDO_LEGACY));
            words(generator.handle, to, many);
        });
    }
    const auto begin = [&](const Generator& generator) {
        if (quasi) curandSetQuasiRandomGeneratorDimensions(generator.handle, dimensions);
    };
    const auto floats = [&](const char* what, auto fill) {
        generate<float>(name, what, many, [&](float* to) {
            const Generator generator = make();
            begin(generator);
            fill(generator.handle, to);
        });
    };
    const auto doubles = [&](const char* what, auto fill) {
        generate<double>(name, what, many, [&](double* to) {
            const Generator generator = make();
            begin(generator);
            fill(generator.handle, to);
        });
    };
    floats("uniform", [](auto handle, float* to) { curandGenerateUniform(handle, to, many); });
    doubles("uniform, double", [](auto handle, double* to) { curandGenerateUniformDouble(handle, to, many); });
    floats("normal", [](auto handle, float* to) { curandGenerateNormal(handle, to, many, 0.0f, 1.0f); });
    floats("normal, mean", [](auto handle, float* to) { curandGenerateNormal(handle, to, many, 10.5f, 2.7f); });
    doubles("normal, double", [](auto handle, double* to) { curandGenerateNormalDouble(handle, to, many, 0.0, 1.0); });
    doubles("normal, double, mean", [](auto handle, double* to) { curandGenerateNormalDouble(handle, to, many, -3.3, 0.7); });
    floats("log-normal", [](auto handle, float* to) { curandGenerateLogNormal(handle, to, many, 0.5f, 1.5f); });
    doubles("log-normal, double",
            [](auto handle, double* to) { curandGenerateLogNormalDouble(handle, to, many, 0.5, 1.5); });
    generate<float>(name, "mixed", 12000, [&](float* to) {
        const Generator generator = make();
        curandGenerateUniform(generator.handle, to, 1000);
        curandGenerateNormal(generator.handle, to + 1000, 1000, 0, 1);
        curandGenerateUniformDouble(generator.handle, reinterpret_cast<double*>(to + 2000), 1000);
        curandGenerateNormalDouble(generator.handle, reinterpret_cast<double*>(to + 4000), 1000, 0, 1);
        curandGenerateUniform(generator.handle, to + 6000, 5999);
    });
}

void vectors() {
    for (const auto set : {CURAND_DIRECTION_VECTORS_32_JOEKUO6, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6}) {
        curandDirectionVectors32_t* of = nullptr;
        const auto status = curandGetDirectionVectors32(&of, set);
        std::vector<unsigned> all(of[0], of[0] + 20000 * 32);
        show_bits("vectors", set == CURAND_DIRECTION_VECTORS_32_JOEKUO6 ? "32" : "32, scrambled", all);
        std::printf("vectors %d: exact %d\n", set, status);
    }
    for (const auto set : {CURAND_DIRECTION_VECTORS_64_JOEKUO6, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6}) {
        curandDirectionVectors64_t* of = nullptr;
        const auto status = curandGetDirectionVectors64(&of, set);
        std::vector<unsigned long long> all(of[0], of[0] + 20000 * 64);
        show_bits("vectors", set == CURAND_DIRECTION_VECTORS_64_JOEKUO6 ? "64" : "64, scrambled", all);
        std::printf("vectors %d: exact %d\n", set, status);
    }
    unsigned* constants = nullptr;
    unsigned long long* wide = nullptr;
    curandDirectionVectors32_t* none = nullptr;
    std::printf("constants: exact %d %d %d\n", curandGetScrambleConstants32(&constants), curandGetScrambleConstants64(&wide),
                curandGetDirectionVectors32(&none, static_cast<curandDirectionVectorSet_t>(7)));
    show_bits("constants", "32", std::vector<unsigned>(constants, constants + 20000));
    show_bits("constants", "64", std::vector<unsigned long long>(wide, wide + 20000));
}

void misuse(const char* name, curandRngType_t type) {
    const OnDevice<double> to(std::vector<double>(64, 0.0));
    const auto floats = reinterpret_cast<float*>(to.data);
    const auto short_words = reinterpret_cast<unsigned*>(to.data);
    const auto long_words = reinterpret_cast<unsigned long long*>(to.data);
    curandGenerator_t handle = nullptr;
    std::vector<long long> statuses = {curandCreateGenerator(&handle, type)};
    statuses.push_back(curandSetPseudoRandomGeneratorSeed(handle, 5));
    statuses.push_back(curandSetQuasiRandomGeneratorDimensions(handle, 0));
    statuses.push_back(curandSetQuasiRandomGeneratorDimensions(handle, 20001));
    statuses.push_back(curandSetQuasiRandomGeneratorDimensions(handle, 3));
    statuses.push_back(curandGenerate(handle, short_words, 6));
    statuses.push_back(curandGenerateLongLong(handle, long_words, 6));
    statuses.push_back(curandGenerate(handle, short_words, 7));
    statuses.push_back(curandGenerateUniform(handle, floats, 7));
    statuses.push_back(curandGenerateUniformDouble(handle, to.data, 7));
    statuses.push_back(curandGenerateNormal(handle, floats, 3, 0, 1));
    statuses.push_back(curandGenerateNormal(handle, floats, 4, 0, 1));
    statuses.push_back(curandGenerateLogNormalDouble(handle, to.data, 3, 0, 1));
    statuses.push_back(curandGeneratePoisson(handle, short_words, 3, 10.0));
    statuses.push_back(curandGeneratePoisson(handle, short_words, 7, 10.0));
    statuses.push_back(curandGeneratePoisson(handle, short_words, 6, 0.0));
    statuses.push_back(curandGeneratePoisson(handle, short_words, 6, -1.0));
    statuses.push_back(curandGeneratePoisson(handle, short_words, 0, 10.0));
    for (const int order : {100, 101, 102, 103, 104, 201, 7})
        statuses.push_back(curandSetGeneratorOrdering(handle, static_cast<curandOrdering_t>(order)));
    statuses.push_back(curandSetGeneratorOffset(handle, 5));
    statuses.push_back(curandGenerateSeeds(handle));
    statuses.push_back(curandDestroyGenerator(handle));
    char text[64];
    std::snprintf(text, sizeof text, "%s misuse", name);
    show_exact(text, statuses);
}

int main() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what a crash leaves is whole lines
    all_of<unsigned>("sobol32", CURAND_RNG_QUASI_SOBOL32, true);
    all_of<unsigned>("scrambled32", CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, true);
    all_of<unsigned long long>("sobol64", CURAND_RNG_QUASI_SOBOL64, true);
    all_of<unsigned long long>("scrambled64", CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, true);
    all_of<unsigned>("mtgp32", CURAND_RNG_PSEUDO_MTGP32, false);
    all_of<unsigned>("mt19937", CURAND_RNG_PSEUDO_MT19937, false);
    vectors();
    misuse("sobol32", CURAND_RNG_QUASI_SOBOL32);
    misuse("scrambled64", CURAND_RNG_QUASI_SCRAMBLED_SOBOL64);
    misuse("mtgp32", CURAND_RNG_PSEUDO_MTGP32);
    misuse("mt19937", CURAND_RNG_PSEUDO_MT19937);
    misuse("xorwow", CURAND_RNG_PSEUDO_XORWOW);
}
