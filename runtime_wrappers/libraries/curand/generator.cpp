#include "runtime_wrappers/libraries/curand/generator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "runtime_wrappers/libraries/curand/device_math.h"
#include "runtime_wrappers/libraries/curand/host_library.h"
#include "runtime_wrappers/libraries/curand/inverse_normal.h"
#include "runtime_wrappers/libraries/curand/poisson.h"

namespace cudash::libraries {

std::string_view StatusOf<curandStatus_t>::name(curandStatus_t status) {
    struct Name {
        curandStatus_t status;
        std::string_view text;
    };
#define CUDASH_STATUS(name)                          \
    Name {                                           \
        CURAND_STATUS_##name, "CURAND_STATUS_" #name \
    }
    constexpr std::array names = {CUDASH_STATUS(SUCCESS),
                                  CUDASH_STATUS(VERSION_MISMATCH),
                                  CUDASH_STATUS(NOT_INITIALIZED),
                                  CUDASH_STATUS(ALLOCATION_FAILED),
                                  CUDASH_STATUS(TYPE_ERROR),
                                  CUDASH_STATUS(OUT_OF_RANGE),
                                  CUDASH_STATUS(LENGTH_NOT_MULTIPLE),
                                  CUDASH_STATUS(DOUBLE_PRECISION_REQUIRED),
                                  CUDASH_STATUS(LAUNCH_FAILURE),
                                  CUDASH_STATUS(PREEXISTING_FAILURE),
                                  CUDASH_STATUS(INITIALIZATION_FAILED),
                                  CUDASH_STATUS(ARCH_MISMATCH),
                                  CUDASH_STATUS(INTERNAL_ERROR)};
#undef CUDASH_STATUS
    const auto found = std::ranges::find(names, status, &Name::status);
    return found == names.end() ? "an unknown curandStatus_t" : found->text;
}

namespace curand {
namespace {

/// Work that a stream has yet to do keeps it alive.
struct Generator {
    curandRngType_t type = CURAND_RNG_PSEUDO_XORWOW;
    Engine engine = Engine::xorwow;
    bool on_host = false;
    cudaStream_t stream = nullptr;
    std::uint64_t seed = 0, offset = 0;
    curandOrdering_t order = CURAND_ORDERING_PSEUDO_DEFAULT;
    Lanes lanes = Lanes::standard;
    std::shared_ptr<Sequences> sequences{};  ///< nullptr: not begun with this seed, offset and order
    HostGenerator borrowed{};                ///< of a kind that has no engine: the toolkit's

    Sequences& begun() {
        if (!sequences) sequences = Sequences::create(engine, lanes, seed, offset);
        return *sequences;
    }
    /// Whether it makes numbers of 64 bits.
    bool wide() const { return type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64; }
};
using GeneratorPtr = std::shared_ptr<Generator>;

virtual_gpu::HandleTable<curandGenerator_t, GeneratorPtr>& generators() {
    static virtual_gpu::HandleTable<curandGenerator_t, GeneratorPtr> live(0x5000'b000'1000);
    return live;
}
GeneratorPtr find(curandGenerator_t generator) {
    if (const GeneratorPtr* found = generators().find(generator)) return *found;
    refuse(CURAND_STATUS_NOT_INITIALIZED, "the generator is not one of curandCreateGenerator, or was destroyed");
    return nullptr;
}

/// Says why the library that the virtual GPU borrows from is not there.
curandStatus_t without_library(std::string_view what) {
    virtual_gpu::runtime::refuse_with_hint(
        cudaErrorNotSupported,
        fmt::format("the virtual GPU takes {} from the toolkit's libcurand, and {}", what, host_library().missing),
        "install the toolkit's package libcurand-13-0, or use XORWOW, MRG32K3A or "
        "PHILOX4_32_10");
    return CURAND_STATUS_INTERNAL_ERROR;
}

/// What the toolkit's library says of a call, in words.
curandStatus_t told(curandStatus_t status) {
    switch (status) {
        case CURAND_STATUS_TYPE_ERROR:
            return refuse(status, "a generator of this kind has not this function");
        case CURAND_STATUS_OUT_OF_RANGE:
            return refuse(status, "a generator of this kind does not take this value");
        case CURAND_STATUS_LENGTH_NOT_MULTIPLE:
            return refuse(status, "the number of results is not a multiple of the number of dimensions");
        default:
            return status;
    }
}

HostGenerator borrow(curandRngType_t type) {
    curandGenerator_t made = nullptr;
    if (host_library().CreateGeneratorHost(&made, type) != CURAND_STATUS_SUCCESS) made = nullptr;
    return HostGenerator(made);
}

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool on_host) {
    if (!generator) return refuse(CURAND_STATUS_NOT_INITIALIZED, "there is no place for the generator");
    Generator made{.type = type, .on_host = on_host};
    switch (type) {
        case CURAND_RNG_PSEUDO_DEFAULT:
        case CURAND_RNG_PSEUDO_XORWOW:
            break;
        case CURAND_RNG_PSEUDO_MRG32K3A:
            made.engine = Engine::mrg32k3a;
            break;
        case CURAND_RNG_PSEUDO_PHILOX4_32_10:
            made.engine = Engine::philox;
            break;
        case CURAND_RNG_PSEUDO_MTGP32:
        case CURAND_RNG_PSEUDO_MT19937:
        case CURAND_RNG_QUASI_DEFAULT:
        case CURAND_RNG_QUASI_SOBOL32:
        case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
        case CURAND_RNG_QUASI_SOBOL64:
        case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
            if (!host_library().missing.empty()) return without_library("this kind of generator");
            made.borrowed = borrow(type);
            if (!made.borrowed)
                return refuse(CURAND_STATUS_INITIALIZATION_FAILED, "the toolkit's libcurand refuses it");
            break;
        default:
            return refuse(CURAND_STATUS_TYPE_ERROR, "{} is not a kind of generator", static_cast<int>(type));
    }
    *generator = generators().add(std::make_shared<Generator>(std::move(made)));
    return CURAND_STATUS_SUCCESS;
}

/// What changes where results come from: work that was asked for before has the results of then.
template <class Borrowed>
curandStatus_t change(curandGenerator_t generator, std::uint64_t Generator::*member, std::uint64_t value,
                      Borrowed borrowed) {
    const GeneratorPtr found = find(generator);
    if (!found) return CURAND_STATUS_NOT_INITIALIZED;
    if (found->borrowed) return told(borrowed(found->borrowed.get(), value));
    (*found).*member = value;
    found->sequences = nullptr;
    return CURAND_STATUS_SUCCESS;
}

/// `fill(results)` asks the toolkit's library: at once, and what it gives goes to the device in the stream's turn.
template <class T, class Fill>
curandStatus_t write_borrowed(Served& served, const Generator& generator, T* to, std::size_t count, Fill fill) {
    if (generator.on_host) return told(fill(std::span<T>(to, count)));
    Work work(served, generator.stream);
    const std::size_t at = work.add("outputPtr", to, {.width = static_cast<std::int64_t>(count)}, Access::written);
    if (count != 0 && !work.has_operands()) return CURAND_STATUS_LAUNCH_FAILURE;
    std::vector<T> results(count);
    if (const curandStatus_t status = fill(std::span(results)); status != CURAND_STATUS_SUCCESS) return told(status);
    if (count == 0) return CURAND_STATUS_SUCCESS;
    const Asked asked = work.ask(
        [=, results = std::move(results)](Operands& operands) { std::ranges::copy(results, operands.at<T>(at)); });
    return asked == Asked::done ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}
/// Normally distributed: each of a word, rounded as on the device.
template <class Word, class T, class Generate>
curandStatus_t normals_of_words(const Generator& from, std::span<T> results, T mean, T deviation, bool exponential,
                                Generate generate) {
    std::vector<Word> words(results.size());
    if (const curandStatus_t status = generate(from.borrowed.get(), words.data(), words.size());
        status != CURAND_STATUS_SUCCESS)
        return status;
    std::ranges::transform(words, results.begin(), [=](Word word) {
        T standard;
        if constexpr (std::is_same_v<T, float>)
            standard =
                inverse_normal(static_cast<std::uint32_t>(sizeof(Word) == 8 ? word >> (sizeof(Word) * 4) : word));
        else
            standard = inverse_normal_double(word);
        const T value = std::fma(deviation, standard, mean);
        return exponential ? exp_of(value) : value;
    });
    return CURAND_STATUS_SUCCESS;
}

/// `write(Sequences&, span)` writes them, or `fill(Generator&, span)` where the toolkit's library is asked. `offset`
/// counts what the next seed or order goes on from.
template <class T, class Write, class Fill>
curandStatus_t write_results(Served& served, curandGenerator_t generator, T* to, std::size_t count, bool in_pairs,
                             Write write, Fill fill) {
    const GeneratorPtr found = find(generator);
    if (!found) return CURAND_STATUS_NOT_INITIALIZED;
    if (found->borrowed)
        return write_borrowed(served, *found, to, count, [&](std::span<T> results) { return fill(*found, results); });
    if (in_pairs && count % 2 != 0)
        return refuse(CURAND_STATUS_LENGTH_NOT_MULTIPLE, "normally distributed numbers are made in pairs; {} is odd",
                      count);
    if (count == 0) return CURAND_STATUS_SUCCESS;
    found->begun();
    const std::shared_ptr<Sequences> sequences = found->sequences;
    found->offset += in_pairs && found->engine != Engine::philox ? count / 2 : count;
    if (found->on_host) {
        write(*sequences, std::span<T>(to, count));
        return CURAND_STATUS_SUCCESS;
    }
    Work work(served, found->stream);
    const std::size_t at = work.add("outputPtr", to, {.width = static_cast<std::int64_t>(count)}, Access::written);
    const Asked asked =
        work.ask([=](Operands& operands) { write(*sequences, std::span<T>(operands.at<T>(at), count)); });
    return asked == Asked::done ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

template <class T, bool exponential>
curandStatus_t host_library_call(curandGenerator_t from, T* to, std::size_t count, T mean, T deviation) {
    const HostLibrary& library = host_library();
    if constexpr (std::is_same_v<T, float>)
        return (exponential ? library.GenerateLogNormal : library.GenerateNormal)(from, to, count, mean, deviation);
    else
        return (exponential ? library.GenerateLogNormalDouble : library.GenerateNormalDouble)(from, to, count, mean,
                                                                                              deviation);
}
/// `borrowed`: the function of the toolkit's library, which rounds as the host does.
template <class T, class Borrowed>
curandStatus_t write_normals(Served& served, curandGenerator_t generator, T* to, std::size_t count, T mean, T deviation,
                             bool exponential, Borrowed borrowed) {
    return write_results(
        served, generator, to, count, true,
        [=](Sequences& from, std::span<T> results) {
            from.normal(results, {mean, deviation}, exponential);
        },
        [=](const Generator& from, std::span<T> results) {
            if (from.on_host) return borrowed(from.borrowed.get(), results.data(), results.size(), mean, deviation);
            if (from.wide())
                return normals_of_words<std::uint64_t>(
                    from, results, mean, deviation, exponential,
                    [](curandGenerator_t asked, std::uint64_t* words, std::size_t number) {
                        return host_library().GenerateLongLong(asked, reinterpret_cast<unsigned long long*>(words),
                                                               number);
                    });
            return normals_of_words<std::uint32_t>(from, results, mean, deviation, exponential,
                                                   host_library().Generate);
        });
}

}  // namespace

namespace bodies {

curandStatus_t create_generator(Served&, curandGenerator_t* generator, curandRngType_t rng_type) {
    return create(generator, rng_type, false);
}
curandStatus_t create_generator_host(Served&, curandGenerator_t* generator, curandRngType_t rng_type) {
    return create(generator, rng_type, true);
}
curandStatus_t destroy_generator(Served&, curandGenerator_t generator) {
    if (!find(generator)) return CURAND_STATUS_NOT_INITIALIZED;
    generators().remove(generator);
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t get_version(Served&, int* version) {
    if (!version) return refuse(CURAND_STATUS_OUT_OF_RANGE, "there is no place for the result");
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t get_property(Served&, libraryPropertyType type, int* value) {
    constexpr std::array parts = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
    if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL)
        return refuse(CURAND_STATUS_OUT_OF_RANGE, "there is no such property, or no place for the result");
    *value = parts[static_cast<std::size_t>(type)];
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t set_stream(Served&, curandGenerator_t generator, cudaStream_t stream) {
    const GeneratorPtr found = find(generator);
    if (!found) return CURAND_STATUS_NOT_INITIALIZED;
    found->stream = stream;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t set_seed(Served&, curandGenerator_t generator, unsigned long long seed) {
    return change(generator, &Generator::seed, seed, [](curandGenerator_t to, unsigned long long value) {
        return host_library().SetPseudoRandomGeneratorSeed(to, value);
    });
}
curandStatus_t set_offset(Served&, curandGenerator_t generator, unsigned long long offset) {
    return change(generator, &Generator::offset, offset, [](curandGenerator_t to, unsigned long long value) {
        return host_library().SetGeneratorOffset(to, value);
    });
}
curandStatus_t set_ordering(Served&, curandGenerator_t generator, curandOrdering_t order) {
    const GeneratorPtr found = find(generator);
    if (!found) return CURAND_STATUS_NOT_INITIALIZED;
    if (found->borrowed) {
        // The best order of a device is the default one, of which the library on the host knows only by that name.
        const bool twister = found->type < CURAND_RNG_QUASI_DEFAULT;
        const bool best = order == CURAND_ORDERING_PSEUDO_BEST && twister && !found->on_host;
        return told(
            host_library().SetGeneratorOrdering(found->borrowed.get(), best ? CURAND_ORDERING_PSEUDO_DEFAULT : order));
    }
    const bool known = order == CURAND_ORDERING_PSEUDO_BEST || order == CURAND_ORDERING_PSEUDO_DEFAULT ||
                       order == CURAND_ORDERING_PSEUDO_LEGACY;
    const bool seeded = order == CURAND_ORDERING_PSEUDO_SEEDED && found->engine == Engine::xorwow;
    if (!known && !seeded)
        return refuse(CURAND_STATUS_OUT_OF_RANGE,
                      "{} is no order of results that this generator has on the virtual GPU", static_cast<int>(order));
    found->order = order == CURAND_ORDERING_PSEUDO_BEST ? CURAND_ORDERING_PSEUDO_DEFAULT : order;
    found->lanes = seeded ? Lanes::seeded : order == CURAND_ORDERING_PSEUDO_LEGACY ? Lanes::legacy : Lanes::standard;
    found->sequences = nullptr;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t set_dimensions(Served&, curandGenerator_t generator, unsigned num_dimensions) {
    const GeneratorPtr found = find(generator);
    if (!found) return CURAND_STATUS_NOT_INITIALIZED;
    if (found->borrowed)
        return told(host_library().SetQuasiRandomGeneratorDimensions(found->borrowed.get(), num_dimensions));
    return refuse(CURAND_STATUS_TYPE_ERROR, "dimensions are of quasirandom generators");
}
curandStatus_t generate_seeds(Served&, curandGenerator_t generator) {
    const GeneratorPtr found = find(generator);
    if (!found) return CURAND_STATUS_NOT_INITIALIZED;
    if (found->borrowed) return told(host_library().GenerateSeeds(found->borrowed.get()));
    found->begun();
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t generate(Served& served, curandGenerator_t generator, unsigned* outputPtr, std::size_t num) {
    return write_results(
        served, generator, outputPtr, num, false,
        [](Sequences& from, std::span<unsigned> results) { from.bits(results); },
        [](const Generator& from, std::span<unsigned> results) {
            return host_library().Generate(from.borrowed.get(), results.data(), results.size());
        });
}
curandStatus_t generate_long_long(Served& served, curandGenerator_t generator, unsigned long long* outputPtr,
                                  std::size_t num) {
    const GeneratorPtr found = find(generator);
    if (!found) return CURAND_STATUS_NOT_INITIALIZED;
    if (!found->borrowed)
        return refuse(CURAND_STATUS_TYPE_ERROR, "only 64-bit quasirandom generators generate numbers of 64 bits");
    return write_borrowed(served, *found, outputPtr, num, [&](std::span<unsigned long long> results) {
        return host_library().GenerateLongLong(found->borrowed.get(), results.data(), results.size());
    });
}
curandStatus_t generate_uniform(Served& served, curandGenerator_t generator, float* outputPtr, std::size_t num) {
    return write_results(
        served, generator, outputPtr, num, false,
        [](Sequences& from, std::span<float> results) { from.uniform(results); },
        [](const Generator& from, std::span<float> results) {
            return host_library().GenerateUniform(from.borrowed.get(), results.data(), results.size());
        });
}
curandStatus_t generate_uniform(Served& served, curandGenerator_t generator, double* outputPtr, std::size_t num) {
    return write_results(
        served, generator, outputPtr, num, false,
        [](Sequences& from, std::span<double> results) { from.uniform(results); },
        [](const Generator& from, std::span<double> results) {
            return host_library().GenerateUniformDouble(from.borrowed.get(), results.data(), results.size());
        });
}
curandStatus_t generate_normal(Served& served, curandGenerator_t generator, float* outputPtr, std::size_t n, float mean,
                               float stddev) {
    return write_normals(served, generator, outputPtr, n, mean, stddev, false, host_library_call<float, false>);
}
curandStatus_t generate_normal(Served& served, curandGenerator_t generator, double* outputPtr, std::size_t n,
                               double mean, double stddev) {
    return write_normals(served, generator, outputPtr, n, mean, stddev, false, host_library_call<double, false>);
}
curandStatus_t generate_log_normal(Served& served, curandGenerator_t generator, float* outputPtr, std::size_t n,
                                   float mean, float stddev) {
    return write_normals(served, generator, outputPtr, n, mean, stddev, true, host_library_call<float, true>);
}
curandStatus_t generate_log_normal(Served& served, curandGenerator_t generator, double* outputPtr, std::size_t n,
                                   double mean, double stddev) {
    return write_normals(served, generator, outputPtr, n, mean, stddev, true, host_library_call<double, true>);
}

curandStatus_t generate_poisson(Served& served, curandGenerator_t generator, unsigned* outputPtr, std::size_t n,
                                double lambda) {
    const GeneratorPtr found = find(generator);
    if (!found) return CURAND_STATUS_NOT_INITIALIZED;
    const HostLibrary& library = host_library();
    if (!library.missing.empty()) return without_library("Poisson-distributed numbers");
    // The device rounds normally distributed numbers in its own way, and so do those that are made of them.
    const bool of_normals = lambda >= least_normal_lambda && lambda <= largest_lambda;
    if (of_normals && !found->on_host && !found->borrowed && found->offset == 0) {
        const auto make = [found = found.get(), lambda](std::span<unsigned> results) {
            normal_poisson(found->engine, found->lanes, found->seed, results, lambda);
            return CURAND_STATUS_SUCCESS;
        };
        const curandStatus_t status = write_borrowed(served, *found, outputPtr, n, make);
        if (status == CURAND_STATUS_SUCCESS) found->offset += n, found->sequences = nullptr;
        return status;
    }
    HostGenerator made;
    if (!found->borrowed) {
        // The toolkit's generator begins where ours has come to.
        made = borrow(found->type);
        if (!made) return refuse(CURAND_STATUS_INITIALIZATION_FAILED, "the toolkit's libcurand refuses it");
        library.SetGeneratorOrdering(made.get(), found->order);
        library.SetPseudoRandomGeneratorSeed(made.get(), found->seed);
        library.SetGeneratorOffset(made.get(), found->offset);
    }
    const curandGenerator_t from = made ? made.get() : found->borrowed.get();
    const curandStatus_t status = write_borrowed(served, *found, outputPtr, n, [&](std::span<unsigned> results) {
        return library.GeneratePoisson(from, results.data(), results.size(), lambda);
    });
    if (made && status == CURAND_STATUS_SUCCESS) {
        found->offset += n;
        found->sequences = nullptr;
    }
    return status;
}

// The tables lie in the library, for as long as the program runs.
curandStatus_t get_direction_vectors(Served&, curandDirectionVectors32_t** vectors, curandDirectionVectorSet_t set) {
    if (!host_library().missing.empty()) return without_library("direction vectors");
    if (!vectors) return refuse(CURAND_STATUS_OUT_OF_RANGE, "there is no place for the vectors");
    return told(host_library().GetDirectionVectors32(vectors, set));
}
curandStatus_t get_direction_vectors(Served&, curandDirectionVectors64_t** vectors, curandDirectionVectorSet_t set) {
    if (!host_library().missing.empty()) return without_library("direction vectors");
    if (!vectors) return refuse(CURAND_STATUS_OUT_OF_RANGE, "there is no place for the vectors");
    return told(host_library().GetDirectionVectors64(vectors, set));
}
curandStatus_t get_scramble_constants(Served&, unsigned** constants) {
    if (!host_library().missing.empty()) return without_library("scramble constants");
    if (!constants) return refuse(CURAND_STATUS_OUT_OF_RANGE, "there is no place for the constants");
    return told(host_library().GetScrambleConstants32(constants));
}
curandStatus_t get_scramble_constants(Served&, unsigned long long** constants) {
    if (!host_library().missing.empty()) return without_library("scramble constants");
    if (!constants) return refuse(CURAND_STATUS_OUT_OF_RANGE, "there is no place for the constants");
    return told(host_library().GetScrambleConstants64(constants));
}

}  // namespace bodies
}  // namespace curand
}  // namespace cudash::libraries
