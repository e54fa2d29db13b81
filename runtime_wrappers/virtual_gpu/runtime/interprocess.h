// Memory of other processes that this one has opened (CUDA Programming Guide, "Interprocess Communication").
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>

#include "runtime_wrappers/virtual_gpu/memory/address_space.h"

namespace cudash::virtual_gpu::runtime {

class Gpu;

struct OpenedMemory {
    Address room = 0;          ///< what is reserved for it: whole pages
    std::uint64_t pages = 0;   ///< bytes of those
    std::uint64_t opened = 0;  ///< how often
    cudaIpcMemHandle_t handle{};
    bool of_pool = false;  ///< of cudaMemPoolImportPointer: it is freed, not closed
};

class Interprocess {
public:
    std::map<Address, OpenedMemory> opened;

    /// Ends it, however often it was opened.
    void close(Gpu& gpu, Address begin);
    void close_all(Gpu& gpu);
    bool is_of_pool(Address address) const {
        const auto found = opened.find(address);
        return found != opened.end() && found->second.of_pool;
    }
    /// What a pool of another process gave, once the device has done what it was asked.
    cudaError_t free(Gpu& gpu, Address address);
};

}  // namespace cudash::virtual_gpu::runtime
