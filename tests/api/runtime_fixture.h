// A runtime on the virtual GPU with the kernels of tests/api/probe_kernels.cu, and what it told.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "runtime_wrappers/api/runtime.h"
#include "tests/api/fake_device_code.h"

// Stubs of the kernels: what host code would have after nvcc or clang split it. Only their addresses count, so that
// each must differ from the others.
#define PROBE_KERNELS(X) \
    X(nop)               \
    X(add)               \
    X(dyn)               \
    X(stat)              \
    X(bounded)           \
    X(fat) X(out_of_bounds) X(null_write) X(misaligned) X(shared_out_of_bounds) X(trap) X(say) X(bump) X(spin)
#define PROBE_STUB(name) extern const char stub_##name;
PROBE_KERNELS(PROBE_STUB)
#undef PROBE_STUB
extern int shadow_numbers[16];
extern float shadow_coefficients[8];
extern int* shadow_counter;

namespace cudash::api {

std::string probe_source();
/// virtual:h200, or what CUDASH_TEST_DEVICE says: the expectations are those of an H200, which can check them itself.
std::string test_device();

class RuntimeFixture {
public:
    explicit RuntimeFixture(std::string device = test_device(), bool report = true);

    /// kernel<<<grid, block, shared>>>(arguments...)
    template <class... Arguments>
    static cudaError_t launch(const char& stub, dim3 grid, dim3 block, std::size_t shared, Arguments... arguments) {
        void* addresses[] = {&arguments..., nullptr};
        return cudaLaunchKernel(&stub, grid, block, addresses, shared, nullptr);
    }

    FakeDeviceCode code;
    std::vector<Diagnostic> diagnostics;
    std::string printed;
    std::array<char, 128> host_buffer_{};
    std::unique_ptr<Runtime> runtime;
};

/// For what only the virtual GPU does.
struct VirtualFixture : RuntimeFixture {
    VirtualFixture() : RuntimeFixture("virtual:h200") {}
};

}  // namespace cudash::api
