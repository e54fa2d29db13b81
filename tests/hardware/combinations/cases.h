// What the programs here share. Each is a list of cases; a case computes something and shows it to the last bit:
//
//     CASE(name) { ... show("what", values, count); }
//
// Without arguments a program runs all its cases, with arguments those that are named. One line a case and thing:
// "case what: bits in hexadecimal". nvcc and cudash take the programs alike. A program that defines FORK_CASES before
// it includes this runs each case in a process of its own, for cases that leave the device unusable.
#pragma once

#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Case {
    const char* name;
    void (*run)();
};
inline std::vector<Case>& cases() {
    static std::vector<Case> all;
    return all;
}
inline const char* current_case = "";
struct AddCase {
    AddCase(const char* name, void (*run)()) { cases().push_back({name, run}); }
};

#define CASE(name)                                 \
    static void case_##name();                     \
    static AddCase add_##name(#name, case_##name); \
    static void case_##name()

/// All bits of the values; more than 64 of them as a hash (FNV-1a).
template <class T>
void show(const char* what, const T* values, int count) {
    printf("%s %s:", current_case, what);
    if (count > 64) {
        std::uint64_t hash = 14695981039346656037ull;
        const auto* bytes = reinterpret_cast<const unsigned char*>(values);
        for (std::size_t i = 0; i < count * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
        printf(" %d values %016llx", count, static_cast<unsigned long long>(hash));
    } else {
        for (int i = 0; i < count; ++i) {
            unsigned long long bits = 0;
            memcpy(&bits, &values[i], sizeof(T));
            printf(" %llx", bits);
        }
    }
    printf("\n");
}
inline void show(const char* what, long long value) {
    printf("%s %s: %lld\n", current_case, what, value);
}

inline void show_text(const char* what, const char* text) {
    printf("%s %s: %s\n", current_case, what, text);
}

/// The first error is told and ends the case's output there.
inline bool succeeded(cudaError_t error) {
    if (error == cudaSuccess) return true;
    printf("%s error: %s\n", current_case, cudaGetErrorName(error));
    return false;
}

/// Memory that host and device see.
template <class T>
struct Shared {
    T* device = nullptr;
    std::vector<T> host;
    explicit Shared(int count) : host(count) {
        if (succeeded(cudaMalloc(&device, count * sizeof(T)))) cudaMemset(device, 0, count * sizeof(T));
    }
    explicit Shared(const std::vector<T>& values) : Shared(static_cast<int>(values.size())) {
        host = values;
        cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~Shared() { cudaFree(device); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    void tell(const char* what) {
        if (!succeeded(cudaGetLastError()) || !succeeded(cudaDeviceSynchronize())) return;
        cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
        show(what, host.data(), static_cast<int>(host.size()));
    }
};

/// The same numbers everywhere.
struct Random {
    std::uint64_t state;
    explicit Random(std::uint64_t seed) : state(seed * 2 + 1) {}
    std::uint32_t next() {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<std::uint32_t>(state >> 33) ^ static_cast<std::uint32_t>(state >> 17);
    }
    float within(float low, float high) { return low + (high - low) * (next() >> 8) / 16777216.0f; }
};
inline std::vector<float> random_floats(int count, float low, float high, int seed = 1) {
    Random random(seed);
    std::vector<float> values(count);
    for (float& value : values) value = random.within(low, high);
    return values;
}

int main(int argc, char** argv) {
    for (const Case& each : cases()) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; ++i) wanted |= strcmp(argv[i], each.name) == 0;
        if (!wanted) continue;
        current_case = each.name;
#ifdef FORK_CASES
        const pid_t child = fork();
        if (child == 0) {
            alarm(30);
            each.run();
            fflush(stdout);
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status != 0) printf("%s ends with status %d\n", each.name, status);
#else
        each.run();
#endif
        fflush(stdout);
    }
}
