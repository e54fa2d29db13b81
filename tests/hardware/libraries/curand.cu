// cuRAND's host generators, bit by bit.
#include "curand_cases.h"

void all_of(const char* name, curandRngType_t type) {
    constexpr std::size_t many = 300000;
    using Word = unsigned;
    generate<Word>(name, "raw", many, [&](Word* to) { curandGenerate(Generator(type).handle, to, many); });
    generate<Word>(name, "raw, default seed", many, [&](Word* to) { curandGenerate(Generator(type, 0).handle, to, many); });
    generate<Word>(name, "raw, large seed", 5000, [&](Word* to) {
        curandGenerate(Generator(type, 0xfedcba9876543210ull).handle, to, 5000);
    });
    generate<Word>(name, "raw, in parts", many, [&](Word* to) {
        const Generator generator(type);
        std::size_t at = 0;
        for (const std::size_t part : {5, 1000, 3, 4096, 100000, 1, 90000, 81920, 22975}) {
            curandGenerate(generator.handle, to + at, part);
            at += part;
        }
    });
    generate<Word>(name, "raw, offset", 200000, [&](Word* to) {
        const Generator generator(type);
        curandSetGeneratorOffset(generator.handle, 1000003);
        curandGenerate(generator.handle, to, 200000);
    });
    generate<Word>(name, "raw, legacy", many, [&](Word* to) {
        const Generator generator(type);
        curandSetGeneratorOrdering(generator.handle, CURAND_ORDERING_PSEUDO_LEGACY);
        curandGenerate(generator.handle, to, many);
    });
    generate<Word>(name, "raw, best", many, [&](Word* to) {
        const Generator generator(type);
        curandSetGeneratorOrdering(generator.handle, CURAND_ORDERING_PSEUDO_BEST);
        curandGenerate(generator.handle, to, many);
    });
    generate<Word>(name, "raw, seeded", many, [&](Word* to) {
        const Generator generator(type);
        std::printf("%s seeded: exact %d\n", name,
                    curandSetGeneratorOrdering(generator.handle, CURAND_ORDERING_PSEUDO_SEEDED));
        curandGenerate(generator.handle, to, many);
    });
    generate<Word>(name, "raw, dynamic", many, [&](Word* to) {
        const Generator generator(type);
        std::printf("%s dynamic: exact %d\n", name,
                    curandSetGeneratorOrdering(generator.handle, CURAND_ORDERING_PSEUDO_DYNAMIC));
        curandGenerate(generator.handle, to, many);
    });
    generate<float>(name, "uniform", many, [&](float* to) { curandGenerateUniform(Generator(type).handle, to, many); });
    generate<double>(name, "uniform, double", many,
                     [&](double* to) { curandGenerateUniformDouble(Generator(type).handle, to, many); });
    generate<double>(name, "uniform, double, legacy", many, [&](double* to) {
        const Generator generator(type);
        curandSetGeneratorOrdering(generator.handle, CURAND_ORDERING_PSEUDO_LEGACY);
        curandGenerateUniformDouble(generator.handle, to, many);
    });
    generate<float>(name, "normal", many,
                    [&](float* to) { curandGenerateNormal(Generator(type).handle, to, many, 0.0f, 1.0f); });
    generate<float>(name, "normal, mean and deviation", many,
                    [&](float* to) { curandGenerateNormal(Generator(type).handle, to, many, 10.5f, 2.7f); });
    generate<double>(name, "normal, double", many,
                     [&](double* to) { curandGenerateNormalDouble(Generator(type).handle, to, many, 0.0, 1.0); });
    generate<double>(name, "normal, double, mean and deviation", many,
                     [&](double* to) { curandGenerateNormalDouble(Generator(type).handle, to, many, -3.3, 0.7); });
    generate<float>(name, "log-normal", many,
                    [&](float* to) { curandGenerateLogNormal(Generator(type).handle, to, many, 0.5f, 1.5f); });
    generate<double>(name, "log-normal, double", many,
                     [&](double* to) { curandGenerateLogNormalDouble(Generator(type).handle, to, many, 0.5, 1.5); });
    generate<float>(name, "mixed", 21000, [&](float* to) {
        const Generator generator(type);
        // The device stores pairs: results begin at multiples of 16 bytes.
        curandGenerateUniform(generator.handle, to, 101);
        curandGenerateNormal(generator.handle, to + 104, 1002, 0, 1);
        curandGenerateUniform(generator.handle, to + 1108, 3);
        curandGenerateNormal(generator.handle, to + 1112, 10000, 0, 1);
        curandGenerate(generator.handle, reinterpret_cast<unsigned*>(to + 11112), 7);
        curandGenerateNormalDouble(generator.handle, reinterpret_cast<double*>(to + 11120), 2000, 0, 1);
        curandGenerateUniformDouble(generator.handle, reinterpret_cast<double*>(to + 15120), 1001);
        curandGenerateUniform(generator.handle, to + 17124, 3876);
    });
}

void misuse() {
    const OnDevice<float> to(std::vector<float>(64, 0.0f));
    const OnDevice<double> wide(std::vector<double>(64, 0.0));
    curandGenerator_t handle = nullptr;
    std::vector<long long> statuses = {curandCreateGenerator(&handle, static_cast<curandRngType_t>(7)),
                                       curandGenerateUniform(nullptr, to.data, 4), curandDestroyGenerator(nullptr),
                                       curandSetStream(nullptr, nullptr)};
    curandCreateGenerator(&handle, CURAND_RNG_PSEUDO_DEFAULT);
    const auto words = reinterpret_cast<unsigned*>(to.data);
    const std::vector<long long> more = {curandGenerateNormal(handle, to.data, 3, 0, 1),
                                         curandGenerateNormalDouble(handle, wide.data, 3, 0, 1),
                                         curandGenerateLogNormal(handle, to.data, 5, 0, 1),
                                         curandGenerateNormal(handle, to.data, 4, 0, -1),
                                         curandGenerate(handle, words, 0),
                                         curandGenerateUniform(handle, to.data, 0),
                                         curandGenerateLongLong(handle, reinterpret_cast<unsigned long long*>(wide.data), 4),
                                         curandSetGeneratorOrdering(handle, CURAND_ORDERING_QUASI_DEFAULT),
                                         curandSetGeneratorOrdering(handle, static_cast<curandOrdering_t>(5)),
                                         curandSetQuasiRandomGeneratorDimensions(handle, 2),
                                         curandGenerateSeeds(handle),
                                         curandDestroyGenerator(handle)};
    statuses.insert(statuses.end(), more.begin(), more.end());
    int version = 0, major = 0;
    statuses.push_back(curandGetVersion(&version));
    statuses.push_back(curandGetProperty(MAJOR_VERSION, &major));
    statuses.push_back(version / 1000 * 100 + major);
    show_exact("misuse", statuses);
}

int main() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what a crash leaves is whole lines
    all_of("xorwow", CURAND_RNG_PSEUDO_XORWOW);
    all_of("philox", CURAND_RNG_PSEUDO_PHILOX4_32_10);
    all_of("mrg32k3a", CURAND_RNG_PSEUDO_MRG32K3A);
    misuse();
}
