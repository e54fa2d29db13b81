// Stream-ordered memory. An address is given out at once; memory goes when its stream comes to the free.
#include <span>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/capture.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph_memory.h"

namespace cudash::virtual_gpu::runtime {
namespace {

cudaError_t allocate_from(Gpu& gpu, void** pointer, std::size_t size, cudaMemPool_t handle, cudaStream_t stream) {
    if (!pointer) return cudaErrorInvalidValue;
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    MemoryPool* pool = gpu.pools.find(handle);
    if (!pool) return gpu.refuse(cudaErrorInvalidValue, "{} is not a memory pool", fmt::ptr(handle));
    if (!on->capture)
        if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    if (size == 0) {
        *pointer = nullptr;
        return cudaSuccess;
    }
    cudaError_t status = cudaSuccess;
    if (on->capture) {
        AllocateTask task;
        task.memory = GraphMemory::create(gpu, pool->device, size, status);
        if (!task.memory) return status;
        task.parameters.poolProps.allocType = cudaMemAllocationTypePinned;
        task.parameters.poolProps.location.type = cudaMemLocationTypeDevice;
        task.parameters.poolProps.location.id = pool->device;
        task.parameters.bytesize = size;
        void* const reserved = reinterpret_cast<void*>(task.memory->address());
        task.parameters.dptr = reserved;
        status = gpu.submit(*on, std::move(task));
        if (status == cudaSuccess) *pointer = reserved;
        return status;
    }
    if (!pool->has_room(size))
        return gpu.refuse(cudaErrorMemoryAllocation, "the pool may hold {} bytes and has {}", pool->most, pool->used);
    Address address = 0;
    status = gpu.allocate(address, size, {.device = pool->device, .pool = handle});
    if (status != cudaSuccess) return status;
    pool->take(size);
    *pointer = reinterpret_cast<void*>(address);
    return cudaSuccess;
}

/// "type must be one of" those that a pool can be of, at a place that can have one: here a device's pinned memory.
cudaError_t device_of_pool(Gpu& gpu, const cudaMemLocation* location, cudaMemAllocationType type, int& device) {
    if (!location) return gpu.refuse(cudaErrorInvalidValue, "location is null");
    if (type != cudaMemAllocationTypePinned && type != cudaMemAllocationTypeManaged)
        return gpu.refuse(cudaErrorInvalidValue, "there are no pools of allocation type {}", static_cast<int>(type));
    if (type != cudaMemAllocationTypePinned || location->type != cudaMemLocationTypeDevice)
        return gpu.refuse(cudaErrorNotSupported, "the virtual GPU has memory pools of device memory only");
    device = location->id;
    if (!gpu.has_device(device)) return gpu.refuse(cudaErrorInvalidValue, "there is no device {}", device);
    return cudaSuccess;
}

cudaError_t pool_of_device(Gpu& gpu, int device, cudaMemPool_t Device::*which, cudaMemPool_t* pool) {
    if (!pool) return cudaErrorInvalidValue;
    if (!gpu.has_device(device)) return gpu.refuse(cudaErrorInvalidDevice, "there is no device {}", device);
    *pool = gpu.devices[static_cast<std::size_t>(device)].*which;
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaMallocAsync(Gpu& gpu, void** devPtr, std::size_t size, cudaStream_t stream) {
    // "The allocation comes from the memory pool current to the stream's device."
    const Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    return allocate_from(gpu, devPtr, size, gpu.devices[static_cast<std::size_t>(on->device)].current_pool, stream);
}

cudaError_t cudaMallocFromPoolAsync(Gpu& gpu, void** ptr, std::size_t size, cudaMemPool_t memPool,
                                    cudaStream_t stream) {
    return allocate_from(gpu, ptr, size, memPool, stream);
}

cudaError_t cudaFreeAsync(Gpu& gpu, void* devPtr, cudaStream_t stream) {
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    if (!devPtr) return cudaSuccess;
    const Address address = reinterpret_cast<Address>(devPtr);
    const auto allocation = gpu.memory->find(address);
    const auto block = gpu.blocks.find(address);
    if (allocation && allocation->kind == MemoryKind::managed)
        return gpu.refuse(cudaErrorNotSupported, "managed memory cannot be freed in stream order");
    if (on->capture && block != gpu.blocks.end() && !block->second.graph && !block->second.pool)
        return gpu.refuse(cudaErrorInvalidValue, "a graph can't free memory that cudaMalloc gave");
    if (allocation && allocation->kind != MemoryKind::device)
        return gpu.refuse(cudaErrorInvalidValue, "{} is not stream-ordered or cudaMalloc memory", devPtr);
    if (block == gpu.blocks.end() || !allocation) return refuse_free(gpu, devPtr);
    if (block->second.free_issued)
        return gpu.refuse(cudaErrorInvalidValue, "cudaFreeAsync was given {} already", devPtr);
    if (!on->capture && !block->second.graph) block->second.free_issued = true;
    return gpu.submit(*on, FreeTask{devPtr});
}

cudaError_t cudaDeviceGetDefaultMemPool(Gpu& gpu, cudaMemPool_t* memPool, int device) {
    return pool_of_device(gpu, device, &Device::default_pool, memPool);
}

cudaError_t cudaDeviceGetMemPool(Gpu& gpu, cudaMemPool_t* memPool, int device) {
    return pool_of_device(gpu, device, &Device::current_pool, memPool);
}

cudaError_t cudaDeviceSetMemPool(Gpu& gpu, int device, cudaMemPool_t memPool) {
    const MemoryPool* pool = gpu.pools.find(memPool);
    if (!pool || pool->device != device)
        return gpu.refuse(cudaErrorInvalidValue, "the pool is not one of device {}", device);
    gpu.devices[static_cast<std::size_t>(device)].current_pool = memPool;
    return cudaSuccess;
}

cudaError_t cudaMemGetDefaultMemPool(Gpu& gpu, cudaMemPool_t* memPool, cudaMemLocation* location,
                                     cudaMemAllocationType type) {
    int device = 0;
    const cudaError_t bad = device_of_pool(gpu, location, type, device);
    return bad != cudaSuccess ? bad : cudaDeviceGetDefaultMemPool(gpu, memPool, device);
}

cudaError_t cudaMemGetMemPool(Gpu& gpu, cudaMemPool_t* memPool, cudaMemLocation* location, cudaMemAllocationType type) {
    int device = 0;
    const cudaError_t bad = device_of_pool(gpu, location, type, device);
    return bad != cudaSuccess ? bad : cudaDeviceGetMemPool(gpu, memPool, device);
}

cudaError_t cudaMemSetMemPool(Gpu& gpu, cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t memPool) {
    int device = 0;
    const cudaError_t bad = device_of_pool(gpu, location, type, device);
    return bad != cudaSuccess ? bad : cudaDeviceSetMemPool(gpu, device, memPool);
}

cudaError_t cudaMemPoolCreate(Gpu& gpu, cudaMemPool_t* memPool, const cudaMemPoolProps* props) {
    if (!memPool || !props) return cudaErrorInvalidValue;
    // Measured on an H200: a device that is not there is an invalid value here. Pools of host and of managed memory,
    // and pools to share between processes, are made there.
    if (props->allocType != cudaMemAllocationTypePinned && props->allocType != cudaMemAllocationTypeManaged)
        return gpu.refuse(cudaErrorInvalidValue, "there are no pools of allocation type {}",
                          static_cast<int>(props->allocType));
    constexpr int known_handles = cudaMemHandleTypePosixFileDescriptor | cudaMemHandleTypeWin32 |
                                  cudaMemHandleTypeWin32Kmt | cudaMemHandleTypeFabric;
    if (static_cast<int>(props->handleTypes) & ~known_handles)
        return gpu.refuse(cudaErrorInvalidValue, "there are no handles of type {}",
                          static_cast<int>(props->handleTypes));
    if (props->allocType != cudaMemAllocationTypePinned || props->location.type != cudaMemLocationTypeDevice)
        return gpu.refuse(cudaErrorNotSupported, "the virtual GPU has memory pools of device memory only");
    if (!gpu.has_device(props->location.id))
        return gpu.refuse(cudaErrorInvalidValue, "there is no device {}", props->location.id);
    if (props->handleTypes != cudaMemHandleTypeNone)
        return gpu.refuse(cudaErrorNotSupported, "the virtual GPU shares no memory between processes");
    *memPool = gpu.pools.add({.device = props->location.id, .most = props->maxSize});
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(Gpu& gpu, cudaMemPool_t memPool) {
    const MemoryPool* pool = gpu.pools.find(memPool);
    if (!pool) return gpu.refuse(cudaErrorInvalidValue, "{} is not a memory pool", fmt::ptr(memPool));
    if (pool->is_default) return gpu.refuse(cudaErrorInvalidValue, "a device's default pool cannot be destroyed");
    // "If any pointers obtained from this pool haven't been freed [...] the function will return immediately".
    Device& device = gpu.devices[static_cast<std::size_t>(pool->device)];
    if (device.current_pool == memPool) device.current_pool = device.default_pool;
    gpu.pools.remove(memPool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(Gpu& gpu, cudaMemPool_t memPool, std::size_t minBytesToKeep) {
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    MemoryPool* pool = gpu.pools.find(memPool);
    if (!pool) return gpu.refuse(cudaErrorInvalidValue, "{} is not a memory pool", fmt::ptr(memPool));
    pool->trim(minBytesToKeep);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(Gpu& gpu, cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
    MemoryPool* pool = gpu.pools.find(memPool);
    if (!pool || !value) return cudaErrorInvalidValue;
    switch (attr) {
        case cudaMemPoolReuseFollowEventDependencies:
        case cudaMemPoolReuseAllowOpportunistic:
        case cudaMemPoolReuseAllowInternalDependencies:
            pool->switches[attr] = *static_cast<int*>(value) != 0;
            return cudaSuccess;
        case cudaMemPoolAttrReleaseThreshold:
            pool->release_threshold = *static_cast<std::uint64_t*>(value);
            return cudaSuccess;
        case cudaMemPoolAttrUsedMemHigh:
        case cudaMemPoolAttrReservedMemHigh:
            if (*static_cast<std::uint64_t*>(value) != 0)
                return gpu.refuse(cudaErrorInvalidValue, "it can only be set to zero");
            if (attr == cudaMemPoolAttrUsedMemHigh) {
                pool->used_high = pool->used;
            } else {
                pool->reserved_high = pool->reserved;
            }
            return cudaSuccess;
        default:
            return gpu.refuse(cudaErrorInvalidValue, "the attribute cannot be set");
    }
}

cudaError_t cudaMemPoolGetAttribute(Gpu& gpu, cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
    MemoryPool* pool = gpu.pools.find(memPool);
    if (!pool || !value) return cudaErrorInvalidValue;
    switch (attr) {
        case cudaMemPoolReuseFollowEventDependencies:
        case cudaMemPoolReuseAllowOpportunistic:
        case cudaMemPoolReuseAllowInternalDependencies: {
            const auto found = pool->switches.find(attr);
            *static_cast<int*>(value) = found == pool->switches.end() ? 1 : found->second;
            return cudaSuccess;
        }
        case cudaMemPoolAttrReleaseThreshold:
            *static_cast<std::uint64_t*>(value) = pool->release_threshold;
            return cudaSuccess;
        case cudaMemPoolAttrUsedMemCurrent:
            *static_cast<std::uint64_t*>(value) = pool->used;
            return cudaSuccess;
        case cudaMemPoolAttrUsedMemHigh:
            *static_cast<std::uint64_t*>(value) = pool->used_high;
            return cudaSuccess;
        case cudaMemPoolAttrReservedMemCurrent:
            *static_cast<std::uint64_t*>(value) = pool->reserved;
            return cudaSuccess;
        case cudaMemPoolAttrReservedMemHigh:
            *static_cast<std::uint64_t*>(value) = pool->reserved_high;
            return cudaSuccess;
        default:
            return gpu.refuse(cudaErrorInvalidValue, "there is no pool attribute {}", static_cast<int>(attr));
    }
}

// Every virtual device reaches the memory of all.
cudaError_t cudaMemPoolSetAccess(Gpu& gpu, cudaMemPool_t memPool, const cudaMemAccessDesc* descList,
                                 std::size_t count) {
    const MemoryPool* pool = gpu.pools.find(memPool);
    if (!pool || (count > 0 && !descList)) return cudaErrorInvalidValue;
    // The codes are those of an H200.
    for (const cudaMemAccessDesc& each : std::span(descList, count)) {
        if (each.flags != cudaMemAccessFlagsProtNone && each.flags != cudaMemAccessFlagsProtReadWrite)
            return gpu.refuse(cudaErrorNotSupported, "access is to read and write, or none");
        if (!gpu.has_device(each.location.id))
            return gpu.refuse(cudaErrorInvalidDevice, "there is no device {}", each.location.id);
        if (each.flags == cudaMemAccessFlagsProtNone && each.location.id == pool->device)
            return gpu.refuse(cudaErrorInvalidDevice, "a pool's own device always has access");
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(Gpu& gpu, cudaMemAccessFlags* flags, cudaMemPool_t memPool,
                                 cudaMemLocation* location) {
    if (!flags || !location || !gpu.pools.find(memPool)) return cudaErrorInvalidValue;
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
