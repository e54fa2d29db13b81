// Each process has a virtual GPU of its own. What they share is memory: a handle names the process and its file of
// device memory, which another process of the same user opens. An event that is shared has happened as soon as it is
// recorded, because recording it runs what the stream was asked for before.
#include "runtime_wrappers/virtual_gpu/runtime/interprocess.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/check/checks.h"
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/page_guard.h"

namespace cudash::virtual_gpu::runtime {
namespace {

// The first bytes of a handle.
constexpr std::uint64_t memory_mark = 0x6d656d2d61647563, event_mark = 0x6576652d61647563,
                        pool_mark = 0x6c6f6f702d617563, pointer_mark = 0x7274702d61647563;

struct MemoryName {
    std::uint64_t mark = memory_mark;
    std::int32_t process = 0, descriptor = -1;
    std::uint64_t offset = 0, size = 0;
    std::uint64_t serial = 0;  ///< of the allocation
};
static_assert(sizeof(MemoryName) <= sizeof(cudaIpcMemHandle_t));

struct EventName {
    std::uint64_t mark = event_mark;
    std::int32_t process = 0, unused = 0;
    std::uint64_t event = 0;
};
static_assert(sizeof(EventName) <= sizeof(cudaIpcEventHandle_t));

static_assert(sizeof(MemoryName) <= sizeof(cudaMemPoolPtrExportData) &&
              sizeof(cudaMemPoolPtrExportData) == sizeof(cudaIpcMemHandle_t));

/// In the file whose descriptor stands for a pool.
struct PoolName {
    std::uint64_t mark = pool_mark;
    std::int32_t process = 0, device = 0;
};

template <class Name, class Handle>
Name name_in(const Handle& handle) {
    Name name;
    std::memcpy(static_cast<void*>(&name), &handle, sizeof name);
    return name;
}
template <class Name, class Handle>
void put(const Name& name, Handle& handle) {
    std::memset(&handle, 0, sizeof handle);
    std::memcpy(&handle, &name, sizeof name);
}

cudaError_t open_memory(Gpu& gpu, const MemoryName& name, const cudaIpcMemHandle_t& handle, void** result) {
    const SharedFile file = SharedFile::open(name.descriptor, name.process);
    if (!file || name.size == 0 || name.offset > file.size() || name.size > file.size() - name.offset)
        return refuse_with_hint(
            cudaErrorInvalidValue,
            fmt::format("process {} does not share this memory (any more), or belongs to another user", name.process),
            "keep the process that allocated it running until all others have closed it");
    const std::uint64_t page = page_size(), phase = name.offset % page;
    const std::uint64_t pages = (phase + name.size + page - 1) / page * page;
    const auto room = gpu.memory.space->reserve(pages, page);
    if (!room) return refuse(cudaErrorMemoryAllocation, "no range of {} bytes is free", pages);
    if (!gpu.memory.space->show(*room, file, name.offset - phase, pages)) {
        gpu.memory.space->unreserve(*room);
        return refuse(cudaErrorMapBufferObjectFailed, "the system can't map {} bytes of process {}", pages,
                      name.process);
    }
    Allocation allocation;
    allocation.begin = *room + phase;
    allocation.size = name.size;
    allocation.devices = device_set(gpu.current());
    allocation.origin = gpu.memory.origin();
    gpu.memory.space->enter_shown(allocation);
    // What others wrote is not seen here.
    gpu.checks->memory_written(allocation.begin, allocation.size);
    gpu.memory.interprocess.opened[allocation.begin] = {*room, pages, 1, handle};
    *result = reinterpret_cast<void*>(allocation.begin);
    return cudaSuccess;
}

}  // namespace

void Interprocess::close(Gpu& gpu, Address begin) {
    const auto found = opened.find(begin);
    if (found == opened.end()) return;
    gpu.memory.space->release(begin);
    gpu.memory.space->hide(found->second.room, found->second.pages);
    gpu.memory.space->unreserve(found->second.room);
    opened.erase(found);
}

void Interprocess::close_all(Gpu& gpu) {
    while (!opened.empty()) close(gpu, opened.begin()->first);
}

cudaError_t cudaIpcGetMemHandle(Gpu& gpu, cudaIpcMemHandle_t* handle, void* devPtr) {
    if (!handle) return refuse(cudaErrorInvalidValue, "there is nowhere to put the handle");
    const auto address = reinterpret_cast<Address>(devPtr);
    const auto allocation = gpu.memory.space->find(address);
    const AllocationRecord* block = allocation ? gpu.memory.record_at(allocation->begin) : nullptr;
    if (!block || allocation->kind != MemoryKind::device || block->pool)
        return refuse_with_hint(cudaErrorInvalidValue,
                                fmt::format("{} is not memory that this process has from cudaMalloc", devPtr),
                                "managed and page-locked memory, and that of pools, can't be shared in this way");
    if (const cudaError_t bad = gpu.scheduler.wait_for_devices(); bad != cudaSuccess) return bad;
    const auto share = gpu.memory.space->share(allocation->begin);
    if (!share) return refuse(cudaErrorMemoryAllocation, "the system has no room for memory that processes share");
    put(MemoryName{.process = getpid(),
                   .descriptor = share->descriptor,
                   .offset = share->offset,
                   .size = allocation->size,
                   .serial = allocation->serial},
        *handle);
    return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(Gpu& gpu, void** devPtr, cudaIpcMemHandle_t handle, unsigned flags) {
    if (!devPtr) return refuse(cudaErrorInvalidValue, "there is nowhere to put the address");
    // Recorded on an H100: other bits do no harm.
    if (!(flags & cudaIpcMemLazyEnablePeerAccess))
        return refuse(cudaErrorInvalidValue, "flags must be cudaIpcMemLazyEnablePeerAccess");
    const auto name = name_in<MemoryName>(handle);
    if (name.mark != memory_mark) return refuse(cudaErrorInvalidValue, "the handle is not one of cudaIpcGetMemHandle");
    if (name.process == getpid())
        return refuse_with_hint(cudaErrorDeviceUninitialized, "the memory is of this process",
                                "open it in another process, or use its own address");
    const auto known = std::ranges::find_if(gpu.memory.interprocess.opened, [&](const auto& each) {
        return std::memcmp(&each.second.handle, &handle, sizeof handle) == 0;
    });
    if (known == gpu.memory.interprocess.opened.end()) return open_memory(gpu, name, handle, devPtr);
    ++known->second.opened;
    *devPtr = reinterpret_cast<void*>(known->first);
    return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(Gpu& gpu, void* devPtr) {
    const auto found = gpu.memory.interprocess.opened.find(reinterpret_cast<Address>(devPtr));
    if (found == gpu.memory.interprocess.opened.end())
        return refuse(cudaErrorInvalidValue, "{} is not what cudaIpcOpenMemHandle gave, or was closed", devPtr);
    if (const cudaError_t bad = gpu.scheduler.wait_for_devices(); bad != cudaSuccess) return bad;
    if (--found->second.opened == 0) gpu.memory.interprocess.close(gpu, found->first);
    return cudaSuccess;
}

cudaError_t Interprocess::free(Gpu& gpu, Address address) {
    if (const cudaError_t bad = gpu.scheduler.wait_for_devices(); bad != cudaSuccess) return bad;
    close(gpu, address);
    return cudaSuccess;
}

cudaError_t cudaMemPoolExportToShareableHandle(Gpu& gpu, void* shareableHandle, cudaMemPool_t memPool,
                                               cudaMemAllocationHandleType handleType, unsigned flags) {
    if (!shareableHandle) return refuse(cudaErrorInvalidValue, "there is nowhere to put the handle");
    const MemoryPool* const pool = gpu.memory.pools.find(memPool);
    if (!pool) return refuse(cudaErrorInvalidValue, "{} is not a memory pool, or was destroyed", fmt::ptr(memPool));
    if (handleType != cudaMemHandleTypePosixFileDescriptor || flags != 0)
        return refuse(cudaErrorInvalidValue,
                      "pools are shared as cudaMemHandleTypePosixFileDescriptor, and flags must be 0");
    if (!pool->shareable || pool->kind != MemoryKind::device)
        return refuse_with_hint(cudaErrorInvalidValue, "the pool is not for several processes",
                                "create it with handleTypes = cudaMemHandleTypePosixFileDescriptor, on a device");
    const SharedFile file = SharedFile::create("pool", page_size());
    const PoolName name{.process = getpid(), .device = pool->device};
    const int descriptor =
        file && pwrite(file.descriptor(), &name, sizeof name, 0) == sizeof name ? file.duplicate() : -1;
    if (descriptor < 0) return refuse(cudaErrorOperatingSystem, "the system has no file descriptor for the pool");
    *static_cast<int*>(shareableHandle) = descriptor;
    return cudaSuccess;
}

cudaError_t cudaMemPoolImportFromShareableHandle(Gpu& gpu, cudaMemPool_t* memPool, void* shareableHandle,
                                                 cudaMemAllocationHandleType handleType, unsigned flags) {
    if (!memPool) return refuse(cudaErrorInvalidValue, "there is nowhere to put the pool");
    if (handleType != cudaMemHandleTypePosixFileDescriptor || flags != 0)
        return refuse(cudaErrorInvalidValue,
                      "pools are shared as cudaMemHandleTypePosixFileDescriptor, and flags must be 0");
    const auto descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(shareableHandle));
    const SharedFile file = SharedFile::open(descriptor);
    PoolName name{.mark = 0};
    if (!file || pread(file.descriptor(), &name, sizeof name, 0) != sizeof name || name.mark != pool_mark)
        return refuse(cudaErrorInvalidValue, "file descriptor {} is not one of cudaMemPoolExportToShareableHandle",
                      descriptor);
    if (!gpu.has_device(name.device))
        return refuse(cudaErrorInvalidValue, "the pool is of device {}, which this process does not have", name.device);
    *memPool = gpu.memory.pools.add({.device = name.device, .imported = true});
    return cudaSuccess;
}

cudaError_t cudaMemPoolExportPointer(Gpu& gpu, cudaMemPoolPtrExportData* exportData, void* ptr) {
    if (!exportData) return refuse(cudaErrorInvalidValue, "there is nowhere to put what is exported");
    const auto address = reinterpret_cast<Address>(ptr);
    const auto allocation = gpu.memory.space->find(address);
    const AllocationRecord* block = gpu.memory.record_at(address);
    const MemoryPool* const pool = block ? gpu.memory.pools.find(block->pool) : nullptr;
    if (!allocation || !pool || !pool->shareable)
        return refuse(cudaErrorInvalidValue, "{} does not come from a pool that processes share", ptr);
    if (const cudaError_t bad = gpu.scheduler.wait_for_devices(); bad != cudaSuccess) return bad;
    const auto share = gpu.memory.space->share(allocation->begin);
    if (!share) return refuse(cudaErrorMemoryAllocation, "the system has no room for memory that processes share");
    put(MemoryName{.mark = pointer_mark,
                   .process = getpid(),
                   .descriptor = share->descriptor,
                   .offset = share->offset,
                   .size = allocation->size,
                   .serial = allocation->serial},
        *exportData);
    return cudaSuccess;
}

cudaError_t cudaMemPoolImportPointer(Gpu& gpu, void** ptr, cudaMemPool_t memPool,
                                     cudaMemPoolPtrExportData* exportData) {
    if (!ptr || !exportData) return refuse(cudaErrorInvalidValue, "{} is null", ptr ? "exportData" : "ptr");
    const MemoryPool* const pool = gpu.memory.pools.find(memPool);
    if (!pool || !pool->imported)
        return refuse(cudaErrorInvalidValue, "{} is not a pool of cudaMemPoolImportFromShareableHandle",
                      fmt::ptr(memPool));
    const auto name = name_in<MemoryName>(*exportData);
    if (name.mark != pointer_mark)
        return refuse(cudaErrorInvalidValue, "exportData is not of cudaMemPoolExportPointer");
    cudaIpcMemHandle_t handle;
    put(name, handle);
    const cudaError_t status = open_memory(gpu, name, handle, ptr);
    if (status == cudaSuccess) gpu.memory.interprocess.opened[reinterpret_cast<Address>(*ptr)].of_pool = true;
    return status;
}

cudaError_t cudaIpcGetEventHandle(Gpu& gpu, cudaIpcEventHandle_t* handle, cudaEvent_t event) {
    if (!handle) return refuse(cudaErrorInvalidValue, "there is nowhere to put the handle");
    const Event* const shared = gpu.event(event);
    if (!shared) return cudaErrorInvalidResourceHandle;
    if (!(shared->flags & cudaEventInterprocess))
        return refuse_with_hint(cudaErrorInvalidResourceHandle, "the event is not for several processes",
                                "create it with cudaEventInterprocess | cudaEventDisableTiming");
    put(EventName{.process = getpid(), .event = reinterpret_cast<std::uintptr_t>(event)}, *handle);
    return cudaSuccess;
}

cudaError_t cudaIpcOpenEventHandle(Gpu& gpu, cudaEvent_t* event, cudaIpcEventHandle_t handle) {
    if (!event) return refuse(cudaErrorInvalidValue, "there is nowhere to put the event");
    const auto name = name_in<EventName>(handle);
    if (name.mark != event_mark) return refuse(cudaErrorInvalidValue, "the handle is not one of cudaIpcGetEventHandle");
    if (name.process == getpid())
        return refuse_with_hint(cudaErrorDeviceUninitialized, "the event is of this process",
                                "open it in another process, or use the event itself");
    *event = gpu.scheduler.timeline.events.add(
        {.flags = cudaEventInterprocess | cudaEventDisableTiming, .device = gpu.current()});
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
