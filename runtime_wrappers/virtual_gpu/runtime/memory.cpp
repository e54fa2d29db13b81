// Device memory: allocation, release, what is free, and what a pointer is.
#include <cstring>
#include <limits>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/capture.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph_memory.h"
#include "runtime_wrappers/virtual_gpu/runtime/transfer.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// Takes `rows` rows of as many bytes as the device wants a row of `width` to be.
cudaError_t allocate_pitched(Gpu& gpu, Address& address, std::uint64_t width, std::uint64_t rows,
                             std::uint64_t& pitch) {
    const std::uint64_t unit = gpu.profile.pitch_alignment;
    // Recorded on an H200: such a width is wrong in itself, too many rows are too much memory.
    constexpr std::uint64_t widest = std::numeric_limits<std::int64_t>::max();
    if (width > widest - unit) return refuse(cudaErrorInvalidValue, "no row is {} bytes wide", width);
    pitch = (width + unit - 1) / unit * unit;
    std::uint64_t size;
    if (__builtin_mul_overflow(pitch, rows, &size))
        return refuse(cudaErrorMemoryAllocation, "a row of {} bytes times {} rows is more than 64 bits count", width,
                      rows);
    const cudaError_t status = gpu.memory.allocate(address, size, {.device = gpu.current()});
    if (status != cudaSuccess) return status;
    auto allocation = *gpu.memory.space->find(address);
    allocation.pitch = pitch, allocation.width = width, allocation.height = rows;
    gpu.memory.space->update(allocation);
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaMalloc(Gpu& gpu, void** devPtr, std::size_t size) {
    if (!devPtr) return refuse(cudaErrorInvalidValue, "devPtr is null: there is nowhere to put the address");
    if (gpu.context.dead()) return gpu.context.status();
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    if (size == 0) {
        *devPtr = nullptr;
        return cudaSuccess;
    }
    if (const cudaError_t lost = gpu.context.status(); lost != cudaSuccess) return lost;
    Address address = 0;
    const cudaError_t status = gpu.memory.allocate(address, size, {.device = gpu.current()});
    if (status == cudaSuccess) *devPtr = reinterpret_cast<void*>(address);
    return status;
}

cudaError_t cudaMallocPitch(Gpu& gpu, void** devPtr, std::size_t* pitch, std::size_t width, std::size_t height) {
    if (!devPtr || !pitch) return refuse(cudaErrorInvalidValue, "devPtr or pitch is null");
    if (width == 0 || height == 0) {
        *devPtr = nullptr;
        *pitch = 0;
        return cudaSuccess;
    }
    Address address = 0;
    std::uint64_t wide = 0;
    const cudaError_t status = allocate_pitched(gpu, address, width, height, wide);
    if (status != cudaSuccess) return status;
    *devPtr = reinterpret_cast<void*>(address);
    *pitch = wide;
    return cudaSuccess;
}

cudaError_t cudaMalloc3D(Gpu& gpu, cudaPitchedPtr* pitchedDevPtr, cudaExtent extent) {
    if (!pitchedDevPtr) return cudaErrorInvalidValue;
    *pitchedDevPtr = {.ptr = nullptr, .pitch = 0, .xsize = extent.width, .ysize = extent.height};
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return cudaSuccess;
    std::uint64_t rows, pitch = 0;
    Address address = 0;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return refuse(cudaErrorMemoryAllocation, "{} slices of {} rows are more than 64 bits count", extent.depth,
                      extent.height);
    const cudaError_t status = allocate_pitched(gpu, address, extent.width, rows, pitch);
    if (status != cudaSuccess) return status;
    pitchedDevPtr->ptr = reinterpret_cast<void*>(address);
    pitchedDevPtr->pitch = pitch;
    return cudaSuccess;
}

cudaError_t refuse_free(Gpu& gpu, void* devPtr) {
    const Address address = reinterpret_cast<Address>(devPtr);
    const auto allocation = gpu.memory.space->find(address);
    if (gpu.memory.interprocess.opened.contains(address))
        return refuse_with_hint(cudaErrorInvalidValue, "the memory is of another process",
                                "use cudaIpcCloseMemHandle; the process that allocated it frees it");
    if (Address begin = 0; gpu.memory.virtual_memory.mapped_at(address, begin))
        return refuse_with_hint(cudaErrorInvalidValue, "the memory was mapped by cuMemMap",
                                "use cuMemUnmap, and cuMemRelease for its handle");
    if (!allocation) {
        const auto near = gpu.memory.space->nearest(address);
        if (near && near->released && near->allocation.begin == address)
            return refuse(cudaErrorInvalidValue, "the memory at {} was freed already", devPtr);
        return refuse_with_hint(cudaErrorInvalidValue, fmt::format("{} is not device memory", devPtr),
                                "cudaFree takes what cudaMalloc gave; host memory has free() and cudaFreeHost()");
    }
    if (allocation->kind == MemoryKind::pinned || allocation->kind == MemoryKind::registered)
        return refuse_with_hint(cudaErrorInvalidValue, "the memory is page-locked host memory",
                                allocation->kind == MemoryKind::pinned ? "use cudaFreeHost" : "use cudaHostUnregister");
    if (allocation->kind == MemoryKind::variable)
        return refuse(cudaErrorInvalidValue, "the memory is that of the variable {}", allocation->origin);
    return refuse_with_hint(cudaErrorInvalidValue,
                            fmt::format("{} is {} bytes into an allocation of {} bytes", devPtr,
                                        address - allocation->begin, allocation->size),
                            "free the pointer that cudaMalloc gave");
}

cudaError_t cudaFree(Gpu& gpu, void* devPtr) {
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    gpu.device().flags |= cudaDeviceMapHost;  // after a reset the context begins here
    if (!devPtr) return cudaSuccess;
    const Address address = reinterpret_cast<Address>(devPtr);
    // "implicitly synchronizes"
    if (const cudaError_t status = gpu.scheduler.wait_for_devices(); status != cudaSuccess) return status;
    if (gpu.memory.interprocess.is_of_pool(address)) return gpu.memory.interprocess.free(gpu, address);
    const auto allocation = gpu.memory.space->find(address);
    const AllocationRecord* block = gpu.memory.record_at(address);
    const bool freeable = allocation && allocation->begin == address && block &&
                          (allocation->kind != MemoryKind::pinned || block->pool) && !block->free_issued;
    const bool of_pool = freeable && block->pool;
    if (freeable && gpu.memory.release(address)) {
        if (of_pool) gpu.memory.trim_pools();
        return cudaSuccess;
    }
    return refuse_free(gpu, devPtr);
}

cudaError_t cudaMemGetInfo(Gpu& gpu, std::size_t* free, std::size_t* total) {
    if (free) *free = gpu.memory.free_bytes(gpu.current());
    if (total) *total = gpu.profile.global_memory;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(Gpu& gpu, cudaPointerAttributes* attributes, const void* ptr) {
    if (!attributes) return cudaErrorInvalidValue;
    const auto allocation = gpu.memory.space->find(reinterpret_cast<Address>(ptr));
    void* pointer = const_cast<void*>(ptr);
    std::memset(attributes, 0, sizeof *attributes);
    // Nor does the host know memory that device code allocates (recorded on an H200).
    if (!allocation || allocation->kind == MemoryKind::heap) {
        attributes->type = cudaMemoryTypeUnregistered;
        attributes->device = cudaInvalidDeviceId;
        attributes->hostPointer = pointer;
        return cudaSuccess;
    }
    const AllocationRecord* block = gpu.memory.record_at(allocation->begin);
    attributes->device = block ? block->device : gpu.current();
    attributes->devicePointer = pointer;
    switch (allocation->kind) {
        case MemoryKind::pinned:
        case MemoryKind::registered:
            attributes->type = cudaMemoryTypeHost;
            break;
        case MemoryKind::managed:
            attributes->type = cudaMemoryTypeManaged;
            break;
        case MemoryKind::device:
        case MemoryKind::variable:
            attributes->type = cudaMemoryTypeDevice;
            return cudaSuccess;
        case MemoryKind::heap:
            break;
    }
    attributes->hostPointer = pointer;
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
