#include "runtime_wrappers/libraries/curand/generator.h"

#include <algorithm>
#include <array>
#include <span>

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
    Engine engine = Engine::xorwow;
    bool on_host = false;
    cudaStream_t stream = nullptr;
    std::uint64_t seed = 0, offset = 0;
    Lanes lanes = Lanes::standard;
    std::shared_ptr<Sequences> sequences{};  ///< nullptr: not begun with this seed, offset and order

    Sequences& begun() {
        if (!sequences) sequences = Sequences::create(engine, lanes, seed, offset);
        return *sequences;
    }
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

curandStatus_t create(Served&, curandGenerator_t* generator, curandRngType_t type, bool on_host) {
    if (!generator) return refuse(CURAND_STATUS_NOT_INITIALIZED, "there is no place for the generator");
    Generator made{.on_host = on_host};
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
        default:
            return refuse(CURAND_STATUS_TYPE_ERROR,
                          "the virtual GPU has the generators XORWOW, MRG32K3A and PHILOX4_32_10, and not {}",
                          static_cast<int>(type));
    }
    *generator = generators().add(std::make_shared<Generator>(made));
    return CURAND_STATUS_SUCCESS;
}

/// What changes where results come from: work that was asked for before has the results of then.
curandStatus_t change(curandGenerator_t generator, void (*apply)(Generator&, std::uint64_t), std::uint64_t value) {
    const GeneratorPtr found = find(generator);
    if (!found) return CURAND_STATUS_NOT_INITIALIZED;
    apply(*found, value);
    found->sequences = nullptr;
    return CURAND_STATUS_SUCCESS;
}

/// `write(Sequences&, span)` writes them. `offset` counts what the next seed or order goes on from.
template <class T, class Write>
curandStatus_t write_results(Served& served, curandGenerator_t generator, T* to, std::size_t count, bool in_pairs,
                             Write write) {
    const GeneratorPtr found = find(generator);
    if (!found) return CURAND_STATUS_NOT_INITIALIZED;
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

template <class T>
curandStatus_t write_normals(Served& served, curandGenerator_t generator, T* to, std::size_t count, T mean, T deviation,
                             bool exponential) {
    return write_results(served, generator, to, count, true, [=](Sequences& from, std::span<T> results) {
        from.normal(results, {mean, deviation}, exponential);
    });
}

}  // namespace

namespace bodies {

curandStatus_t create_generator(Served& served, curandGenerator_t* generator, curandRngType_t rng_type) {
    return create(served, generator, rng_type, false);
}
curandStatus_t create_generator_host(Served& served, curandGenerator_t* generator, curandRngType_t rng_type) {
    return create(served, generator, rng_type, true);
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
    return change(
        generator, [](Generator& of, std::uint64_t value) { of.seed = value; }, seed);
}
curandStatus_t set_offset(Served&, curandGenerator_t generator, unsigned long long offset) {
    return change(
        generator, [](Generator& of, std::uint64_t value) { of.offset = value; }, offset);
}
curandStatus_t set_ordering(Served&, curandGenerator_t generator, curandOrdering_t order) {
    const GeneratorPtr found = find(generator);
    if (!found) return CURAND_STATUS_NOT_INITIALIZED;
    const bool known = order == CURAND_ORDERING_PSEUDO_BEST || order == CURAND_ORDERING_PSEUDO_DEFAULT ||
                       order == CURAND_ORDERING_PSEUDO_LEGACY;
    const bool seeded = order == CURAND_ORDERING_PSEUDO_SEEDED && found->engine == Engine::xorwow;
    if (!known && !seeded)
        return refuse(CURAND_STATUS_OUT_OF_RANGE,
                      "{} is no order of results that this generator has on the virtual GPU", static_cast<int>(order));
    found->lanes = seeded ? Lanes::seeded : order == CURAND_ORDERING_PSEUDO_LEGACY ? Lanes::legacy : Lanes::standard;
    found->sequences = nullptr;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t set_dimensions(Served&, curandGenerator_t generator, unsigned) {
    if (!find(generator)) return CURAND_STATUS_NOT_INITIALIZED;
    return refuse(CURAND_STATUS_TYPE_ERROR, "dimensions are of quasirandom generators");
}
curandStatus_t generate_seeds(Served&, curandGenerator_t generator) {
    const GeneratorPtr found = find(generator);
    if (!found) return CURAND_STATUS_NOT_INITIALIZED;
    found->begun();
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t generate(Served& served, curandGenerator_t generator, unsigned* outputPtr, std::size_t num) {
    return write_results(served, generator, outputPtr, num, false,
                         [](Sequences& from, std::span<unsigned> results) { from.bits(results); });
}
curandStatus_t generate_long_long(Served&, curandGenerator_t generator, unsigned long long*, std::size_t) {
    if (!find(generator)) return CURAND_STATUS_NOT_INITIALIZED;
    return refuse(CURAND_STATUS_TYPE_ERROR, "only 64-bit quasirandom generators generate numbers of 64 bits");
}
curandStatus_t generate_uniform(Served& served, curandGenerator_t generator, float* outputPtr, std::size_t num) {
    return write_results(served, generator, outputPtr, num, false,
                         [](Sequences& from, std::span<float> results) { from.uniform(results); });
}
curandStatus_t generate_uniform(Served& served, curandGenerator_t generator, double* outputPtr, std::size_t num) {
    return write_results(served, generator, outputPtr, num, false,
                         [](Sequences& from, std::span<double> results) { from.uniform(results); });
}
curandStatus_t generate_normal(Served& served, curandGenerator_t generator, float* outputPtr, std::size_t n, float mean,
                               float stddev) {
    return write_normals(served, generator, outputPtr, n, mean, stddev, false);
}
curandStatus_t generate_normal(Served& served, curandGenerator_t generator, double* outputPtr, std::size_t n,
                               double mean, double stddev) {
    return write_normals(served, generator, outputPtr, n, mean, stddev, false);
}
curandStatus_t generate_log_normal(Served& served, curandGenerator_t generator, float* outputPtr, std::size_t n,
                                   float mean, float stddev) {
    return write_normals(served, generator, outputPtr, n, mean, stddev, true);
}
curandStatus_t generate_log_normal(Served& served, curandGenerator_t generator, double* outputPtr, std::size_t n,
                                   double mean, double stddev) {
    return write_normals(served, generator, outputPtr, n, mean, stddev, true);
}

}  // namespace bodies
}  // namespace curand
}  // namespace cudash::libraries
