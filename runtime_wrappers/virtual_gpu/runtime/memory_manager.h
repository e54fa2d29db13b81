// All memory that the program has of the device and of the CUDA runtime: what is live, whose it is, and how much is
// left.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/memory/address_space.h"
#include "runtime_wrappers/virtual_gpu/runtime/advice.h"
#include "runtime_wrappers/virtual_gpu/runtime/context_state.h"
#include "runtime_wrappers/virtual_gpu/runtime/host_block.h"
#include "runtime_wrappers/virtual_gpu/runtime/images.h"
#include "runtime_wrappers/virtual_gpu/runtime/interprocess.h"
#include "runtime_wrappers/virtual_gpu/runtime/memory_pool.h"
#include "runtime_wrappers/virtual_gpu/runtime/memory_use.h"
#include "runtime_wrappers/virtual_gpu/runtime/virtual_memory.h"
#include "runtime_wrappers/virtual_gpu/stream/handle_table.h"
#include "runtime_wrappers/virtual_gpu/stream/operation.h"

namespace cudash::virtual_gpu::runtime {

class GraphMemory;

struct PoolChoice {
    cudaMemPool_t standard = nullptr, current = nullptr;
};

/// What the runtime remembers of an allocation, and kernels need not know.
struct AllocationRecord {
    int device = 0;
    std::uint64_t size = 0;
    cudaMemPool_t pool = nullptr;     ///< stream-ordered memory
    std::optional<HostBlock> host{};  ///< owner of pinned and managed memory
    AdvisedPages advice{};            ///< of managed memory
    bool free_issued = false;         ///< cudaFreeAsync was called and has not run yet
    OperationPtr free{};              ///< that
    GraphMemory* graph = nullptr;     ///< memory of a graph's allocation node
    api::CallPlace made{};            ///< the call that allocated it
};

class MemoryManager {
public:
    /// `images`: how much of the memory textures' arrays take.
    MemoryManager(const Profile& profile, int devices, const api::Active& active, ContextState& context,
                  const Images& images, std::unique_ptr<AddressSpace> space);

    const std::unique_ptr<AddressSpace> space;  ///< what kernels may use; never null
    HandleTable<cudaMemPool_t, MemoryPool> pools{0x5000'8000'1000};
    Interprocess interprocess;
    VirtualMemory virtual_memory;

    /// The default and the current pool of a device's memory; of host or managed memory made when asked for.
    PoolChoice& pools_of(MemoryKind kind, int device);
    void destroy_pool(cudaMemPool_t pool);
    /// How much of a device is in use, but for pools.
    MemoryUse& use_of(int device) { return of_devices_[static_cast<std::size_t>(device)].use; }

    /// Where memory is made now, in words, and the variable that it is for: "d_a, cell 2 line 4".
    std::string origin() const;
    /// Device memory of the current device, or the error; `block` says what is to be remembered of it.
    cudaError_t allocate(Address& address, std::uint64_t size, AllocationRecord block);
    /// Whether the device has room for `size` more bytes, of that pool if one is given.
    cudaError_t check_room(std::uint64_t size, int device, const MemoryPool* pool = nullptr);
    /// Host memory that kernels reach at its own address; a null pointer for 0 bytes.
    cudaError_t allocate_host(void*& pointer, std::uint64_t size, MemoryKind kind, unsigned flags);
    /// Enters host memory, with what is to be remembered of it; false if it overlaps what is live.
    bool enter_host(Allocation allocation, AllocationRecord block);
    /// What is remembered of the allocation that begins there, or nullptr. Host memory that outlived its device is
    /// still remembered, though no kernel may use it.
    AllocationRecord* record_at(Address begin);
    const std::map<Address, AllocationRecord>& records() const { return records_; }
    /// Sets what a block of device memory counts for.
    void resize(AllocationRecord& block, std::uint64_t size);
    /// Whether the computer has room for `size` more bytes.
    bool host_has_room(std::uint64_t size, std::uint64_t& available);
    /// Whether it has room for device memory that is about to be written: it commits memory as it is touched.
    cudaError_t check_host_room(const std::byte* bytes, std::uint64_t size);
    /// Pools give back what nobody uses, down to their release thresholds: where the host has waited.
    void trim_pools();
    std::uint64_t free_bytes(int device) const;
    /// Ends the allocation that begins there, for kernels and for the runtime.
    void forget(Address address);
    /// Frees device or managed memory, of a pool or a graph too; false if it is none that can be freed.
    bool release(Address address);
    /// What a device held that ends.
    void end_device(int device);

    /// Host memory that the program keeps, and that the devices may use from now on, or no more.
    bool enter_registered(Allocation allocation);
    void leave_registered(Address address);
    bool has_registered() const { return registered_; }

private:
    struct OfDevice {
        PoolChoice pools;
        MemoryUse use;  ///< of its blocks, but for those of pools
    };

    const Profile& profile_;
    const api::Active& active_;
    ContextState& context_;
    const Images& images_;
    std::map<Address, AllocationRecord>
        records_;  ///< by begin; entered and left together with the address space's allocations
    std::vector<OfDevice> of_devices_;
    std::map<std::pair<MemoryKind, int>, PoolChoice> other_pools_;  ///< of host and of managed memory
    std::map<Address, int> registrations_;                          ///< the device, by begin
    std::atomic<bool> registered_{false};                           ///< whether there are any
    std::uint64_t since_look_ = 0;  ///< bytes given out since the computer was last asked what it has
};

}  // namespace cudash::virtual_gpu::runtime
