// Libraries: device code that the program loads itself, as PTX text, and its kernels. Kernels' handles go wherever a
// __global__ function can be named.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "runtime_wrappers/virtual_gpu/runtime/modules.h"
#include "runtime_wrappers/virtual_gpu/runtime/ptx_acceptance.h"
#include "runtime_wrappers/virtual_gpu/stream/timeline.h"

namespace cudash::virtual_gpu::runtime {

struct Library {
    std::string code;  ///< PTX, kept for cudaDeviceReset
    std::shared_ptr<const LoadedModule> module;
    /// Why the code cannot be loaded: said when something of it is first used, as by an H200.
    Unloadable failure{};
    std::vector<cudaKernel_t> kernels{};
};

struct LibraryKernel {
    std::string name;
    FunctionState state{};
    Kernel kernel{};
};

class Libraries {
public:
    HandleTable<cudaLibrary_t, Library> libraries{0x5002'4000'1000};
    HandleTable<cudaKernel_t, LibraryKernel> kernels{0x5002'8000'1000};

    /// The kernel behind a handle; nullptr if it is none.
    const Kernel* kernel(const void* handle);
    cudaError_t load(Gpu& gpu, std::string code, cudaLibrary_t& library);
    void unload(cudaLibrary_t library);
    /// cudaDeviceReset: variables start afresh.
    void reload(Gpu& gpu);
};

}  // namespace cudash::virtual_gpu::runtime
