// Libraries: device code that the program loads itself, as PTX text, and its kernels. Kernels' handles go wherever a
// __global__ function can be named.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime_wrappers/virtual_gpu/runtime/modules.h"
#include "runtime_wrappers/virtual_gpu/runtime/ptx_acceptance.h"
#include "runtime_wrappers/virtual_gpu/stream/timeline.h"

namespace cudash::virtual_gpu::runtime {

struct Library {
    std::string code;                                            ///< PTX
    std::map<int, std::shared_ptr<const LoadedModule>> modules;  ///< by device: each has variables of its own
    /// Why the code cannot be loaded: said when something of it is first used, as by an H200.
    Unloadable failure{};
    std::vector<cudaKernel_t> kernels{};
};

struct LibraryKernel {
    struct OnDevice {
        FunctionState state{};
        Kernel kernel{};
    };
    std::string name;
    cudaLibrary_t owner = nullptr;
    std::map<int, OnDevice> on{};
};

class Libraries {
public:
    HandleTable<cudaLibrary_t, Library> libraries{0x5002'4000'1000};
    HandleTable<cudaKernel_t, LibraryKernel> kernels{0x5002'8000'1000};

    /// The kernel behind a handle; nullptr if it is none.
    const Kernel* kernel(Gpu& gpu, const void* handle, int device);
    /// Its code on the device, loaded when it is first asked for; nullptr if it cannot be loaded.
    const LoadedModule* module(Gpu& gpu, Library& library, int device);
    cudaError_t load(Gpu& gpu, std::string code, cudaLibrary_t& library);
    void unload(cudaLibrary_t library);
    /// cudaDeviceReset: the device's variables start afresh.
    void unload_from(int device);
};

}  // namespace cudash::virtual_gpu::runtime
