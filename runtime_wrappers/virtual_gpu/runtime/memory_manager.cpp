#include "runtime_wrappers/virtual_gpu/runtime/memory_manager.h"

#include <algorithm>
#include <cctype>

#include "runtime_wrappers/host_check/memory.h"
#include "runtime_wrappers/virtual_gpu/memory/host_memory.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph_memory.h"
#include "runtime_wrappers/virtual_gpu/runtime/refusal.h"

namespace cudash::virtual_gpu::runtime {
namespace {

// Below this, allocations are together not worth a look at what the host has.
constexpr std::uint64_t look_after = 64ull << 20;

/// What may count elements in the size of an allocation: a name that says bytes or size does not.
std::string count_of(const api::CallPlace& made) {
    std::string lower = made.size;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    const bool says_bytes = lower.find("byte") != std::string::npos || lower.find("size") != std::string::npos;
    return says_bytes ? std::string() : made.size;
}

}  // namespace

MemoryManager::MemoryManager(const Profile& profile, int devices, const api::Active& active, ContextState& context,
                             const Images& images, std::unique_ptr<AddressSpace> space)
    : space(std::move(space)),
      profile_(profile),
      active_(active),
      context_(context),
      images_(images),
      of_devices_(static_cast<std::size_t>(devices)) {
    for (int i = 0; i < devices; ++i) {
        PoolChoice& choice = of_devices_[static_cast<std::size_t>(i)].pools;
        choice.standard = choice.current = pools.add({.device = i, .is_default = true});
    }
}

PoolChoice& MemoryManager::pools_of(MemoryKind kind, int device) {
    if (kind == MemoryKind::device) return of_devices_[static_cast<std::size_t>(device)].pools;
    PoolChoice& choice = other_pools_[{kind, device}];
    if (!choice.standard)
        choice.standard = choice.current = pools.add({.kind = kind, .device = device, .is_default = true});
    return choice;
}

void MemoryManager::destroy_pool(cudaMemPool_t pool) {
    // "Destroying the current mempool of a device sets the default mempool of that device as the current mempool": the
    // device's, even where the pool was the current one of the host or of managed memory (recorded on an H200).
    for (OfDevice& device : of_devices_)
        if (device.pools.current == pool) device.pools.current = device.pools.standard;
    for (auto& [place, choice] : other_pools_) {
        const bool of_device = place.second >= 0 && static_cast<std::size_t>(place.second) < of_devices_.size();
        const int device = of_device ? place.second : api::thread_state().device;
        if (choice.current == pool) choice.current = pools_of(MemoryKind::device, device).standard;
    }
    pools.remove(pool);
}

std::string MemoryManager::origin() const {
    return host_check::origin_of(active_.place());
}

cudaError_t MemoryManager::check_room(std::uint64_t size, int device, const MemoryPool* pool) {
    const std::uint64_t left = free_bytes(device);
    std::uint64_t needed = size;
    if (size <= left) {
        if (pool) {
            const std::uint64_t wanted = MemoryPool::in_units(pool->live() + size);
            needed = wanted - std::min(wanted, pool->reserved);
        } else {
            MemoryUse then = of_devices_[static_cast<std::size_t>(device)].use;
            then.add(size);
            const std::uint64_t arrays = images_.used(device);
            needed = then.taken(arrays) - of_devices_[static_cast<std::size_t>(device)].use.taken(arrays);
        }
    }
    if (needed <= left) return cudaSuccess;
    return refuse_with_hint(
        cudaErrorMemoryAllocation,
        fmt::format("{} bytes were asked for, and {} of the {} bytes of the device are free{}", size, left,
                    profile_.global_memory,
                    size > left ? "" : fmt::format("; memory is given out in steps of {} MiB", pool ? 32 : 2)),
        hint_of_size(size));
}

cudaError_t MemoryManager::check_host_room(const std::byte* bytes, std::uint64_t size) {
    if (size < look_after) return cudaSuccess;
    const std::uint64_t available = available_host_memory();
    if (size <= available || untouched_bytes(bytes, size) <= available) return cudaSuccess;
    return refuse_with_hint(cudaErrorMemoryAllocation,
                            fmt::format("{} bytes would be written, but this computer, whose memory the virtual GPU "
                                        "uses, has only {} bytes free",
                                        size, available),
                            "use a smaller size, or a real GPU");
}

bool MemoryManager::host_has_room(std::uint64_t size, std::uint64_t& available) {
    since_look_ += std::min(size, look_after);
    if (since_look_ < look_after) return true;
    since_look_ = 0;
    available = available_host_memory();
    return size <= available;
}

cudaError_t MemoryManager::allocate(Address& address, std::uint64_t size, AllocationRecord block) {
    context_.begin();
    const MemoryPool* pool = block.pool ? pools.find(block.pool) : nullptr;
    if (const cudaError_t full = check_room(size, block.device, pool); full != cudaSuccess) return full;
    auto allocation = space->allocate(size, profile_.allocation_alignment, MemoryKind::device, origin());
    if (!allocation)
        return refuse(cudaErrorMemoryAllocation, "no range of {} bytes is free: memory is fragmented", size);
    address = allocation->begin;
    resize(block, size);
    block.made = active_.place();
    allocation->count = count_of(block.made);
    allocation->devices = device_set(block.device);
    space->update(*allocation);
    records_.emplace(address, std::move(block));
    return cudaSuccess;
}

cudaError_t MemoryManager::allocate_host(void*& pointer, std::uint64_t size, MemoryKind kind, unsigned flags) {
    if (size == 0) {
        pointer = nullptr;
        return cudaSuccess;
    }
    if (std::uint64_t available = 0; !host_has_room(size, available))
        return refuse_with_hint(cudaErrorMemoryAllocation,
                                fmt::format("{} bytes were asked for, and this computer has {} free", size, available),
                                hint_of_size(size));
    auto owner = HostBlock::create(size);
    if (!owner) return cudaErrorMemoryAllocation;
    pointer = owner->pointer();
    Allocation allocation;
    allocation.begin = owner->address();
    allocation.size = size;
    allocation.kind = kind;
    allocation.flags = flags;
    allocation.origin = origin();
    AllocationRecord block{.device = api::thread_state().device, .size = size};
    block.host = std::move(owner);
    block.made = active_.place();
    allocation.count = count_of(block.made);
    enter_host(std::move(allocation), std::move(block));
    return cudaSuccess;
}

bool MemoryManager::enter_host(Allocation allocation, AllocationRecord block) {
    const Address begin = allocation.begin;
    if (!space->enter_host(std::move(allocation))) return false;
    records_.insert_or_assign(begin, std::move(block));
    return true;
}

AllocationRecord* MemoryManager::record_at(Address begin) {
    const auto found = records_.find(begin);
    return found == records_.end() ? nullptr : &found->second;
}

void MemoryManager::resize(AllocationRecord& block, std::uint64_t size) {
    if (!block.pool) {  // a pool's memory is counted by the pool
        MemoryUse& use = use_of(block.device);
        use.remove(block.size);
        use.add(size);
    }
    block.size = size;
}

std::uint64_t MemoryManager::free_bytes(int device) const {
    // The context takes its share (recorded on an H200, where it is the first number).
    const std::uint64_t context = std::min<std::uint64_t>(552'402'944, profile_.global_memory / 64);
    std::uint64_t taken = of_devices_[static_cast<std::size_t>(device)].use.taken(images_.used(device)) + context;
    for (const auto& [handle, pool] : pools)
        if (pool.kind == MemoryKind::device && pool.device == device) taken += pool.reserved;
    return taken < profile_.global_memory ? profile_.global_memory - taken : 0;
}

void MemoryManager::trim_pools() {
    for (auto& [handle, pool] : pools) pool.release();
}

void MemoryManager::forget(Address address) {
    space->release(address);
    const auto found = records_.find(address);
    if (found == records_.end()) return;
    if (!found->second.host) resize(found->second, 0);
    records_.erase(found);
}

bool MemoryManager::release(Address address) {
    const auto found = records_.find(address);
    if (found == records_.end()) return false;
    AllocationRecord& block = found->second;
    if (block.graph) {
        const bool in_use = block.graph->in_use();
        block.graph->end_use();
        return in_use;
    }
    if (MemoryPool* pool = block.pool && !block.free_issued ? pools.find(block.pool) : nullptr)
        pool->free_unseen(block.size);
    forget(address);
    return true;
}

bool MemoryManager::enter_registered(Allocation allocation) {
    const Address address = allocation.begin;
    if (!space->enter_host(std::move(allocation))) return false;
    registrations_[address] = api::thread_state().device;
    registered_ = true;
    return true;
}

void MemoryManager::leave_registered(Address address) {
    space->release(address);
    registrations_.erase(address);
    registered_ = !registrations_.empty();
}

void MemoryManager::end_device(int device) {
    for (auto at = records_.begin(); at != records_.end();) {
        AllocationRecord& block = at->second;
        if (block.device != device || block.pool || block.graph) {
            // It stays, but a program that resets its device is done with it: nobody is told that it made it.
            if (block.device == device) block.made = {};
            ++at;
            continue;
        }
        space->release(at->first);
        // Host code may hold pointers into pinned and managed memory: the bytes stay, the device no longer knows them.
        if (block.host) {
            ++at;
            continue;
        }
        resize(block, 0);
        at = records_.erase(at);
    }
    std::vector<Address> ended;
    for (const auto& [address, of] : registrations_)
        if (of == device) ended.push_back(address);
    for (const Address address : ended) leave_registered(address);
}

}  // namespace cudash::virtual_gpu::runtime
