// What the programs of cuRAND share: a hash of all results, the first and some others for each case.
#pragma once

#include <curand.h>

#include "cases.h"

#ifdef ON_HOST
#define curandCreateGenerator curandCreateGeneratorHost
#endif

template <class T>
std::uint64_t bits(T value) {
    std::uint64_t result = 0;
    std::memcpy(&result, &value, sizeof value);
    return result;
}

template <class T>
void show_bits(const char* generator, const char* what, const std::vector<T>& values) {
    std::uint64_t hash = 14695981039346656037ull;
    for (const T value : values) hash = (hash ^ bits(value)) * 1099511628211ull;
    std::printf("%s %s: exact %016llx", generator, what, static_cast<unsigned long long>(hash));
    for (const std::size_t at : {0, 1, 2, 3, 4, 5, 4095, 4096, 65535, 65536, 81920, 100000, 262143, 262144})
        if (at < values.size()) std::printf(" %llx", static_cast<unsigned long long>(bits(values[at])));
    std::printf("\n");
}

struct Generator {
    curandGenerator_t handle = nullptr;
    curandStatus_t status;
    explicit Generator(curandRngType_t type, unsigned long long seed = 1234) {
        status = curandCreateGenerator(&handle, type);
        if (seed != 0) curandSetPseudoRandomGeneratorSeed(handle, seed);
    }
    ~Generator() { curandDestroyGenerator(handle); }
};

template <class T, class Generate>
void generate(const char* name, const char* what, std::size_t count, Generate generate) {
    const OnDevice<T> values(std::vector<T>(count, T(0)));
    generate(values.data);
    show_bits(name, what, values.values());
}
