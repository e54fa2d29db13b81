#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

#include <algorithm>

namespace cudash::virtual_gpu::runtime {
namespace {

// Limits of a fresh context, recorded on an H200 (cudaDeviceGetLimit). The persisting share is 3/16 of the L2 cache.
constexpr std::size_t stack_size = 1024;
constexpr std::size_t printf_fifo_size = 8650752;
constexpr std::size_t malloc_heap_size = 8388608;
constexpr std::size_t pending_launch_count = 2048;
constexpr std::size_t l2_fetch_granularity = 64;

// Below this an allocation is not worth a look at what the host has.
constexpr std::uint64_t small_allocation = 64ull << 20;

}  // namespace

Result<std::unique_ptr<Gpu>> Gpu::create(const Profile& profile, int count, const api::Active& active,
                                         std::chrono::milliseconds kernel_timeout) {
    std::unique_ptr<Gpu> gpu(new Gpu(profile, active));
    gpu->kernel_timeout = kernel_timeout;
    gpu->memory = AddressSpace::create(profile.global_memory * static_cast<std::uint64_t>(count));
    if (!gpu->memory)
        return error("virtual-gpu-memory",
                     fmt::format("cannot reserve addresses for {} virtual {}", count, profile.name),
                     "raise the limit on address space (ulimit -v), or choose a profile with less memory");
    gpu->executor = Executor::create(*gpu->memory);
    gpu->modules = std::make_unique<Modules>(*gpu);
    gpu->devices.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) gpu->initialise(gpu->devices[static_cast<std::size_t>(i)], i);
    return gpu;
}

void Gpu::initialise(Device& device, int index) {
    device.limits[cudaLimitStackSize] = stack_size;
    device.limits[cudaLimitPrintfFifoSize] = printf_fifo_size;
    device.limits[cudaLimitMallocHeapSize] = malloc_heap_size;
    device.limits[cudaLimitDevRuntimePendingLaunchCount] = pending_launch_count;
    device.limits[cudaLimitMaxL2FetchGranularity] = l2_fetch_granularity;
    device.limits[cudaLimitPersistingL2CacheSize] = profile.persisting_l2_max / 10 * 3;
    device.default_pool = pools.add({.device = index, .is_default = true});
    device.current_pool = device.default_pool;
}

cudaError_t Gpu::admit(api::Support support) {
    if (api::thread_state().in_callback && support != api::Support::PURE) return cudaErrorNotPermitted;
    switch (support) {
        case api::Support::ALWAYS:
        case api::Support::PURE:
        case api::Support::NONE:
            return cudaSuccess;
        case api::Support::LATE:
            return dead_ ? cudaErrorDevicesUnavailable : cudaSuccess;
        case api::Support::VIRTUAL:
            return context_status();
    }
    return cudaSuccess;
}

cudaError_t Gpu::context_status() {
    if (dead_) return cudaErrorDevicesUnavailable;
    if (sticky_ != cudaSuccess) api::thread_state().explanation.told = std::exchange(sticky_told_, true);
    return sticky_;
}

cudaError_t Gpu::refuse_with_hint(cudaError_t error, std::string cause, std::string hint) {
    api::Explanation& explanation = api::thread_state().explanation;
    explanation.cause = std::move(cause);
    explanation.hint = std::move(hint);
    return error;
}

Stream* Gpu::stream(cudaStream_t handle) {
    if (handle == nullptr || handle == cudaStreamLegacy) return &timeline.legacy(current());
    if (handle == cudaStreamPerThread) return &timeline.per_thread(current());
    Stream* found = timeline.streams.find(handle);
    if (!found) refuse(cudaErrorInvalidResourceHandle, "{} is not a stream, or was destroyed", fmt::ptr(handle));
    return found;
}

Event* Gpu::event(cudaEvent_t handle) {
    Event* found = timeline.events.find(handle);
    if (found) return found;
    if (handle)
        refuse(cudaErrorInvalidResourceHandle, "{} is not an event, or was destroyed", fmt::ptr(handle));
    else
        refuse(cudaErrorInvalidResourceHandle, "the event is null: it was never created");
    return nullptr;
}

cudaError_t Gpu::check_room(std::uint64_t size, int device) {
    const std::uint64_t left = free_bytes(device);
    if (size > left)
        return refuse(cudaErrorMemoryAllocation,
                      "{} bytes were asked for, and {} of the {} bytes of the device are free", size, left,
                      profile.global_memory);
    if (size > small_allocation) {
        // Device memory is the host's, committed as it is touched.
        const std::uint64_t available = available_host_memory();
        if (size > available)
            return refuse_with_hint(
                cudaErrorMemoryAllocation,
                fmt::format(
                    "a {} has room for {} bytes, but this computer, whose memory the virtual GPU uses, has only {} "
                    "bytes free",
                    profile.full_name, size, available),
                "use a smaller size, or a real GPU");
    }
    return cudaSuccess;
}

cudaError_t Gpu::allocate(Address& address, std::uint64_t size, Block block) {
    if (const cudaError_t full = check_room(size, block.device); full != cudaSuccess) return full;
    const auto allocation = memory->allocate(size, profile.allocation_alignment, MemoryKind::device, origin());
    if (!allocation)
        return refuse(cudaErrorMemoryAllocation, "no range of {} bytes is free: memory is fragmented", size);
    address = allocation->begin;
    block.size = size;
    blocks.emplace(address, std::move(block));
    return cudaSuccess;
}

cudaError_t Gpu::allocate_host(void*& pointer, std::uint64_t size, MemoryKind kind, unsigned flags) {
    if (size == 0) {
        pointer = nullptr;
        return cudaSuccess;
    }
    const std::uint64_t available = available_host_memory();
    if (size > available)
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
    blocks.emplace(allocation.begin, std::move(block));
    memory->enter_host(std::move(allocation));
    return cudaSuccess;
}

std::uint64_t Gpu::used(int device) const {
    std::uint64_t sum = images.used(device);
    for (const auto& [address, block] : blocks)
        if (block.device == device && !block.host) sum += block.size;
    return sum;
}

std::uint64_t Gpu::free_bytes(int device) const {
    const std::uint64_t taken = used(device);
    return taken < profile.global_memory ? profile.global_memory - taken : 0;
}

void Gpu::forget(Address address) {
    memory->release(address);
    blocks.erase(address);
}

void Gpu::reset() {
    const int index = current();
    if (sticky_ != cudaSuccess) dead_ = true;
    sticky_ = cudaSuccess;
    timeline.clear();
    for (auto at = blocks.begin(); at != blocks.end();) {
        const bool host = at->second.host.has_value();
        if (at->second.device != index) {
            ++at;
            continue;
        }
        memory->release(at->first);
        // Host code may hold pointers into pinned and managed memory: the bytes stay, the device no longer knows them.
        at = host ? std::next(at) : blocks.erase(at);
    }
    images.release_all(index);
    modules->unload();
    const cudaMemPool_t pool = devices[static_cast<std::size_t>(index)].default_pool;
    devices[static_cast<std::size_t>(index)] = {};
    pools.remove(pool);
    initialise(devices[static_cast<std::size_t>(index)], index);
}

}  // namespace cudash::virtual_gpu::runtime
