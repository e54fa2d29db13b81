// The part of Gpu that gives out memory and takes it back.
#include <algorithm>
#include <cctype>

#include "runtime_wrappers/virtual_gpu/memory/host_memory.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

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

cudaError_t Gpu::check_room(std::uint64_t size, int device, const MemoryPool* pool) {
    const std::uint64_t left = free_bytes(device);
    std::uint64_t needed = size;
    if (size <= left) {
        if (pool) {
            const std::uint64_t wanted = MemoryPool::in_units(pool->live() + size);
            needed = wanted - std::min(wanted, pool->reserved);
        } else {
            MemoryUse then = devices[static_cast<std::size_t>(device)].memory;
            then.add(size);
            const std::uint64_t arrays = images.used(device);
            needed = then.taken(arrays) - devices[static_cast<std::size_t>(device)].memory.taken(arrays);
        }
    }
    if (needed <= left) return cudaSuccess;
    return refuse(cudaErrorMemoryAllocation, "{} bytes were asked for, and {} of the {} bytes of the device are free{}",
                  size, left, profile.global_memory,
                  size > left ? "" : fmt::format("; memory is given out in steps of {} MiB", pool ? 32 : 2));
}

cudaError_t Gpu::check_host_room(const std::byte* bytes, std::uint64_t size) {
    if (size < look_after) return cudaSuccess;
    const std::uint64_t available = available_host_memory();
    if (size <= available || untouched_bytes(bytes, size) <= available) return cudaSuccess;
    return refuse_with_hint(cudaErrorMemoryAllocation,
                            fmt::format("{} bytes would be written, but this computer, whose memory the virtual GPU "
                                        "uses, has only {} bytes free",
                                        size, available),
                            "use a smaller size, or a real GPU");
}

bool Gpu::host_has_room(std::uint64_t size, std::uint64_t& available) {
    since_look_ += std::min(size, look_after);
    if (since_look_ < look_after) return true;
    since_look_ = 0;
    available = available_host_memory();
    return size <= available;
}

cudaError_t Gpu::allocate(Address& address, std::uint64_t size, Block block) {
    begun_ = true;
    const MemoryPool* pool = block.pool ? pools.find(block.pool) : nullptr;
    if (const cudaError_t full = check_room(size, block.device, pool); full != cudaSuccess) return full;
    auto allocation = memory->allocate(size, profile.allocation_alignment, MemoryKind::device, origin());
    if (!allocation)
        return refuse(cudaErrorMemoryAllocation, "no range of {} bytes is free: memory is fragmented", size);
    address = allocation->begin;
    resize(block, size);
    block.made = call_place();
    allocation->count = count_of(block.made);
    allocation->devices = device_set(block.device);
    memory->update(*allocation);
    blocks.emplace(address, std::move(block));
    return cudaSuccess;
}

cudaError_t Gpu::allocate_host(void*& pointer, std::uint64_t size, MemoryKind kind, unsigned flags) {
    if (size == 0) {
        pointer = nullptr;
        return cudaSuccess;
    }
    if (std::uint64_t available = 0; !host_has_room(size, available))
        return refuse(cudaErrorMemoryAllocation, "{} bytes were asked for, and this computer has {} free", size,
                      available);
    auto owner = HostBlock::create(size);
    if (!owner) return cudaErrorMemoryAllocation;
    pointer = owner->pointer();
    Allocation allocation;
    allocation.begin = owner->address();
    allocation.size = size;
    allocation.kind = kind;
    allocation.flags = flags;
    allocation.origin = origin();
    Block block{.device = current(), .size = size};
    block.host = std::move(owner);
    block.made = call_place();
    allocation.count = count_of(block.made);
    blocks.emplace(allocation.begin, std::move(block));
    memory->enter_host(std::move(allocation));
    return cudaSuccess;
}

void Gpu::resize(Block& block, std::uint64_t size) {
    if (!block.pool) {  // a pool's memory is counted by the pool
        MemoryUse& use = devices[static_cast<std::size_t>(block.device)].memory;
        use.remove(block.size);
        use.add(size);
    }
    block.size = size;
}

std::uint64_t Gpu::free_bytes(int device) const {
    // The context takes its share (recorded on an H200, where it is the first number).
    const std::uint64_t context = std::min<std::uint64_t>(552'402'944, profile.global_memory / 64);
    std::uint64_t taken = devices[static_cast<std::size_t>(device)].memory.taken(images.used(device)) + context;
    for (const auto& [handle, pool] : pools)
        if (pool.kind == MemoryKind::device && pool.device == device) taken += pool.reserved;
    return taken < profile.global_memory ? profile.global_memory - taken : 0;
}

void Gpu::forget(Address address) {
    memory->release(address);
    const auto found = blocks.find(address);
    if (found == blocks.end()) return;
    if (!found->second.host) resize(found->second, 0);
    blocks.erase(found);
}

bool Gpu::enter_registered(Allocation allocation) {
    const Address address = allocation.begin;
    if (!memory->enter_host(std::move(allocation))) return false;
    registrations[address] = current();
    registered = true;
    return true;
}

void Gpu::leave_registered(Address address) {
    memory->release(address);
    registrations.erase(address);
    registered = !registrations.empty();
}

void Gpu::reset_memory(int index) {
    for (auto at = blocks.begin(); at != blocks.end();) {
        Block& block = at->second;
        if (block.device != index || block.pool || block.graph) {
            // It stays, but a program that resets its device is done with it: nobody is told that it made it.
            if (block.device == index) block.made = {};
            ++at;
            continue;
        }
        memory->release(at->first);
        // Host code may hold pointers into pinned and managed memory: the bytes stay, the device no longer knows them.
        if (block.host) {
            ++at;
            continue;
        }
        resize(block, 0);
        at = blocks.erase(at);
    }
    if (index == current()) interprocess.close_all(*this);
    std::vector<Address> ended;
    for (const auto& [address, device] : registrations)
        if (device == index) ended.push_back(address);
    for (const Address address : ended) leave_registered(address);
}

}  // namespace cudash::virtual_gpu::runtime
