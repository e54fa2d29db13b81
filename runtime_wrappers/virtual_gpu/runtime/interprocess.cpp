// Each process has a virtual GPU of its own. What they share is memory: a handle names the process and its file of
// device memory, which another process of the same user opens. An event that is shared has happened as soon as it is
// recorded, because recording it runs what the stream was asked for before.
#include "runtime_wrappers/virtual_gpu/runtime/interprocess.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/check/checks.h"
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"

namespace cudash::virtual_gpu::runtime {
namespace {

// The first bytes of a handle.
constexpr std::uint64_t memory_mark = 0x6d656d2d61647563, event_mark = 0x6576652d61647563;

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

std::uint64_t page_size() {
    return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
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
    const auto block = allocation ? gpu.memory.blocks.find(allocation->begin) : gpu.memory.blocks.end();
    if (block == gpu.memory.blocks.end() || allocation->kind != MemoryKind::device || block->second.pool)
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
