// The toolkit's own libcurand, which computes on the host without a GPU: its generators of quasirandom numbers and
// Mersenne twisters, its Poisson distribution and its tables are not published. It is loaded by the first program that
// asks for one of them. Its numbers are those of the device (recorded on an H100) but for the rounding of normally
// distributed ones.
#pragma once

#include <curand.h>

#include <memory>
#include <string>

namespace cudash::libraries::curand {

// name, and the function without "curand"
#define CUDASH_EACH_OF_HOST_LIBRARY(name)                                                                              \
    name(CreateGeneratorHost) name(DestroyGenerator) name(SetPseudoRandomGeneratorSeed) name(SetGeneratorOffset)       \
        name(SetGeneratorOrdering) name(SetQuasiRandomGeneratorDimensions) name(GenerateSeeds) name(Generate)          \
            name(GenerateLongLong) name(GenerateUniform) name(GenerateUniformDouble) name(GenerateNormal)              \
                name(GenerateNormalDouble) name(GenerateLogNormal) name(GenerateLogNormalDouble) name(GeneratePoisson) \
                    name(GetDirectionVectors32) name(GetDirectionVectors64) name(GetScrambleConstants32)               \
                        name(GetScrambleConstants64)

struct HostLibrary {
    std::string missing;  ///< why there is none; empty: it is loaded
#define CUDASH_MEMBER(name) decltype(&curand##name) name = nullptr;
    CUDASH_EACH_OF_HOST_LIBRARY(CUDASH_MEMBER)
#undef CUDASH_MEMBER
};
const HostLibrary& host_library();

struct DestroyHostGenerator {
    void operator()(curandGenerator_t generator) const { host_library().DestroyGenerator(generator); }
};
using HostGenerator = std::unique_ptr<curandGenerator_st, DestroyHostGenerator>;

}  // namespace cudash::libraries::curand
