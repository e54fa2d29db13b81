// Generators of cuRAND's host interface. XORWOW, MRG32k3a and Philox4_32_10 are here; the other kinds, and the Poisson
// distribution, are the toolkit's (host_library.h).
#pragma once

#include <curand.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "runtime_wrappers/libraries/curand/sequences.h"
#include "runtime_wrappers/libraries/work.h"

namespace cudash::libraries {

template <>
struct StatusOf<curandStatus_t> {
    static constexpr curandStatus_t success = CURAND_STATUS_SUCCESS, not_initialized = CURAND_STATUS_NOT_INITIALIZED,
                                    lost = CURAND_STATUS_PREEXISTING_FAILURE;
    static std::string_view name(curandStatus_t status);
};

}  // namespace cudash::libraries

namespace cudash::libraries::curand::bodies {

curandStatus_t create_generator(Served& served, curandGenerator_t* generator, curandRngType_t rng_type);
curandStatus_t create_generator_host(Served& served, curandGenerator_t* generator, curandRngType_t rng_type);
curandStatus_t destroy_generator(Served& served, curandGenerator_t generator);
curandStatus_t get_version(Served& served, int* version);
curandStatus_t get_property(Served& served, libraryPropertyType type, int* value);
curandStatus_t set_stream(Served& served, curandGenerator_t generator, cudaStream_t stream);
curandStatus_t set_seed(Served& served, curandGenerator_t generator, unsigned long long seed);
curandStatus_t set_offset(Served& served, curandGenerator_t generator, unsigned long long offset);
curandStatus_t set_ordering(Served& served, curandGenerator_t generator, curandOrdering_t order);
curandStatus_t set_dimensions(Served& served, curandGenerator_t generator, unsigned num_dimensions);
curandStatus_t generate_seeds(Served& served, curandGenerator_t generator);
curandStatus_t generate(Served& served, curandGenerator_t generator, unsigned* outputPtr, std::size_t num);
curandStatus_t generate_long_long(Served& served, curandGenerator_t generator, unsigned long long* outputPtr,
                                  std::size_t num);
curandStatus_t generate_uniform(Served& served, curandGenerator_t generator, float* outputPtr, std::size_t num);
curandStatus_t generate_uniform(Served& served, curandGenerator_t generator, double* outputPtr, std::size_t num);
curandStatus_t generate_normal(Served& served, curandGenerator_t generator, float* outputPtr, std::size_t n, float mean,
                               float stddev);
curandStatus_t generate_normal(Served& served, curandGenerator_t generator, double* outputPtr, std::size_t n,
                               double mean, double stddev);
curandStatus_t generate_log_normal(Served& served, curandGenerator_t generator, float* outputPtr, std::size_t n,
                                   float mean, float stddev);
curandStatus_t generate_log_normal(Served& served, curandGenerator_t generator, double* outputPtr, std::size_t n,
                                   double mean, double stddev);
curandStatus_t generate_poisson(Served& served, curandGenerator_t generator, unsigned* outputPtr, std::size_t n,
                                double lambda);
curandStatus_t get_direction_vectors(Served& served, curandDirectionVectors32_t** vectors,
                                     curandDirectionVectorSet_t set);
curandStatus_t get_direction_vectors(Served& served, curandDirectionVectors64_t** vectors,
                                     curandDirectionVectorSet_t set);
curandStatus_t get_scramble_constants(Served& served, unsigned** constants);
curandStatus_t get_scramble_constants(Served& served, unsigned long long** constants);

curandStatus_t create_poisson_distribution(Served& served, double lambda, curandDiscreteDistribution_t* distribution);
curandStatus_t destroy_distribution(Served& served, curandDiscreteDistribution_t distribution);

}  // namespace cudash::libraries::curand::bodies
