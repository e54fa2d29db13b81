// Stream-ordered memory. An address is given out at once; memory goes when its stream comes to the free.
#include <span>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/capture.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph_memory.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// The handle is not a pool, or else the named argument is null.
cudaError_t bad_pool(Gpu& gpu, cudaMemPool_t handle, const char* argument) {
    if (gpu.memory.pools.find(handle)) return refuse(cudaErrorInvalidValue, "{} is a null pointer", argument);
    return refuse(cudaErrorInvalidValue, "{} is not a memory pool, or was destroyed", fmt::ptr(handle));
}

void open_to(Gpu& gpu, Address address, DeviceSet devices) {
    auto allocation = gpu.memory.space->find(address);
    if (!allocation) return;
    allocation->devices = devices;
    gpu.memory.space->update(*allocation);
}

/// "The stream-ordered memory allocator reuses memory that was freed in the same stream": what the stream was asked to
/// do up to the free runs now, so that the memory is there.
void reuse_freed(Gpu& gpu, cudaMemPool_t pool, const Stream& stream, std::size_t size) {
    if (!stream.last) return;
    for (const auto& [address, block] : gpu.memory.records()) {
        if (block.pool != pool || block.size < size || !block.free || block.free->done) continue;
        if (!block.free->moment.before(stream.last->moment)) continue;
        return gpu.scheduler.run_before_reuse(block.free);
    }
}

cudaError_t allocate_from(Gpu& gpu, void** pointer, std::size_t size, cudaMemPool_t handle, cudaStream_t stream) {
    if (!pointer) return refuse(cudaErrorInvalidValue, "there is nowhere to put the address");
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    MemoryPool* pool = gpu.memory.pools.find(handle);
    if (!pool) return refuse(cudaErrorInvalidValue, "{} is not a memory pool, or was destroyed", fmt::ptr(handle));
    if (pool->imported)
        return refuse(cudaErrorInvalidValue,
                      "the pool is of another process: memory comes from it by "
                      "cudaMemPoolImportPointer");
    if (!on->capture)
        if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    if (size == 0) {
        *pointer = nullptr;
        return cudaSuccess;
    }
    cudaError_t status = cudaSuccess;
    if (on->capture && pool->kind != MemoryKind::device)
        return refuse(cudaErrorNotSupported, "a graph's memory is of a device");
    if (on->capture) {
        AllocateTask task;
        task.memory = GraphMemory::find_or_create(gpu, on->capture_frontier, pool->device, size, status);
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
        return refuse(cudaErrorMemoryAllocation, "the pool may hold {} bytes and has {}", pool->most, pool->used);
    void* allocated = nullptr;
    if (pool->kind == MemoryKind::device) {
        reuse_freed(gpu, handle, *on, size);
        Address address = 0;
        status = gpu.memory.allocate(address, size, {.device = pool->device, .pool = handle});
        allocated = reinterpret_cast<void*>(address);
    } else {
        status = gpu.memory.allocate_host(
            allocated, size, pool->kind,
            pool->kind == MemoryKind::managed ? unsigned{cudaMemAttachGlobal} : unsigned{cudaHostAllocMapped});
    }
    if (status != cudaSuccess) return status;
    gpu.memory.record_at(reinterpret_cast<Address>(allocated))->pool = handle;
    open_to(gpu, reinterpret_cast<Address>(allocated), pool->devices());
    pool->take(size);
    *pointer = allocated;
    return cudaSuccess;
}

/// Stands for the host's NUMA node where else there is the number of a device, cudaCpuDeviceId or cudaInvalidDeviceId.
constexpr int numa_node_id = -3;

/// What memory a pool holds, and where.
struct PoolPlace {
    MemoryKind kind = MemoryKind::device;
    int device = 0;
};

/// "type must be one of" those that a pool can be of, at a place that can have one.
cudaError_t place_of_pool(Gpu& gpu, const cudaMemLocation* location, cudaMemAllocationType type, PoolPlace& place) {
    if (!location) return refuse(cudaErrorInvalidValue, "location is null");
    if (type != cudaMemAllocationTypePinned && type != cudaMemAllocationTypeManaged)
        return refuse(cudaErrorInvalidValue, "there are no pools of allocation type {}", static_cast<int>(type));
    if (type == cudaMemAllocationTypeManaged && !gpu.profile.managed_memory)
        return refuse(cudaErrorNotSupported, "a {} has no managed memory", gpu.profile.full_name);
    switch (location->type) {
        case cudaMemLocationTypeDevice:
            if (!gpu.has_device(location->id))
                return refuse(cudaErrorInvalidValue, "there is no device {}", location->id);
            place = {type == cudaMemAllocationTypeManaged ? MemoryKind::managed : MemoryKind::device, location->id};
            return cudaSuccess;
        case cudaMemLocationTypeHost:
        case cudaMemLocationTypeHostNuma:
        case cudaMemLocationTypeHostNumaCurrent:
            // The host and its NUMA node have pools of their own (recorded on an H200).
            place = {type == cudaMemAllocationTypeManaged ? MemoryKind::managed : MemoryKind::pinned,
                     location->type == cudaMemLocationTypeHost ? cudaCpuDeviceId : numa_node_id};
            return cudaSuccess;
        case cudaMemLocationTypeInvalid:
            // Managed memory need not have a place.
            place = {MemoryKind::managed, cudaInvalidDeviceId};
            if (type == cudaMemAllocationTypeManaged) return cudaSuccess;
            return refuse(cudaErrorInvalidValue, "the location is neither the host nor a device");
        default:
            return refuse(cudaErrorNotSupported, "there is no location type {}", static_cast<int>(location->type));
    }
}

cudaError_t give_pool(Gpu& gpu, const PoolPlace& place, cudaMemPool_t PoolChoice::*which, cudaMemPool_t* pool) {
    if (!pool) return refuse(cudaErrorInvalidValue, "memPool is null");
    *pool = gpu.memory.pools_of(place.kind, place.device).*which;
    return cudaSuccess;
}

cudaError_t pool_of_location(Gpu& gpu, cudaMemPool_t* pool, const cudaMemLocation* location, cudaMemAllocationType type,
                             cudaMemPool_t PoolChoice::*which) {
    PoolPlace place;
    const cudaError_t bad = place_of_pool(gpu, location, type, place);
    return bad != cudaSuccess ? bad : give_pool(gpu, place, which, pool);
}

cudaError_t pool_of_device(Gpu& gpu, int device, cudaMemPool_t PoolChoice::*which, cudaMemPool_t* pool) {
    if (!pool) return refuse(cudaErrorInvalidValue, "memPool is null");
    if (!gpu.has_device(device)) return refuse(cudaErrorInvalidDevice, "there is no device {}", device);
    return give_pool(gpu, {.device = device}, which, pool);
}

cudaError_t choose_pool(Gpu& gpu, const PoolPlace& place, cudaMemPool_t handle) {
    const MemoryPool* pool = gpu.memory.pools.find(handle);
    if (!pool || pool->kind != place.kind || pool->device != place.device)
        return refuse(cudaErrorInvalidValue, "the pool is not one of that place");
    gpu.memory.pools_of(place.kind, place.device).current = handle;
    return cudaSuccess;
}

/// As an H200 answers: devices that were given access have it, the host has it to pools of host memory, and devices to
/// those of device memory. Managed memory is no one's by itself.
cudaMemAccessFlags access_of(const MemoryPool& pool, const cudaMemLocation& location) {
    const bool device = location.type == cudaMemLocationTypeDevice;
    const bool open = device ? pool.kind == MemoryKind::device || pool.devices_with_access.contains(location.id)
                             : pool.kind == MemoryKind::pinned;
    return open ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
}

}  // namespace

cudaError_t cudaMallocAsync(Gpu& gpu, void** devPtr, std::size_t size, cudaStream_t stream) {
    // "The allocation comes from the memory pool current to the stream's device."
    const Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    return allocate_from(gpu, devPtr, size, gpu.memory.pools_of(MemoryKind::device, on->device).current, stream);
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
    if (gpu.memory.interprocess.is_of_pool(address)) return gpu.memory.interprocess.free(gpu, address);
    const auto allocation = gpu.memory.space->find(address);
    AllocationRecord* block = gpu.memory.record_at(address);
    const bool of_pool = block && block->pool;
    if (allocation && allocation->kind == MemoryKind::managed && !of_pool)
        return allocation->begin == address
                   ? refuse(cudaErrorNotSupported, "managed memory cannot be freed in stream order")
                   : refuse_free(gpu, devPtr);
    if (on->capture && block && !block->graph)
        return refuse(cudaErrorInvalidValue, "a graph can only free memory that a graph allocates");
    if (allocation && allocation->kind != MemoryKind::device && !of_pool)
        return refuse(cudaErrorInvalidValue, "{} is not stream-ordered or cudaMalloc memory", devPtr);
    if (!block || !allocation) return refuse_free(gpu, devPtr);
    if (block->free_issued) return refuse(cudaErrorInvalidValue, "cudaFreeAsync was given {} already", devPtr);
    if (!on->capture && block->graph) {
        // Whether a launch's turn to allocate it has come is known when the device has done what it was asked.
        if (const cudaError_t status = gpu.scheduler.run_all(block->device); status != cudaSuccess) return status;
        if (!block->graph || !block->graph->in_use())
            return refuse(cudaErrorInvalidValue, "the graph's memory at {} is not allocated now", devPtr);
    } else if (!on->capture) {
        if (MemoryPool* pool = of_pool ? gpu.memory.pools.find(block->pool) : nullptr) pool->give_back(block->size);
        block->free_issued = true;
    }
    OperationPtr issued;
    const cudaError_t status = gpu.submit(*on, FreeTask{devPtr}, &issued);
    if (AllocationRecord* freed = gpu.memory.record_at(address)) freed->free = std::move(issued);
    return status;
}

cudaError_t cudaDeviceGetDefaultMemPool(Gpu& gpu, cudaMemPool_t* memPool, int device) {
    return pool_of_device(gpu, device, &PoolChoice::standard, memPool);
}

cudaError_t cudaDeviceGetMemPool(Gpu& gpu, cudaMemPool_t* memPool, int device) {
    return pool_of_device(gpu, device, &PoolChoice::current, memPool);
}

cudaError_t cudaDeviceSetMemPool(Gpu& gpu, int device, cudaMemPool_t memPool) {
    // A pool of managed memory on the device is taken too, and then cudaMallocAsync gives managed memory; the default
    // one of these has the device go back to its own default (recorded on an H200).
    const MemoryPool* pool = gpu.memory.pools.find(memPool);
    if (!pool || pool->kind != MemoryKind::managed || pool->device != device)
        return choose_pool(gpu, {.device = device}, memPool);
    PoolChoice& choice = gpu.memory.pools_of(MemoryKind::device, device);
    choice.current = pool->is_default ? choice.standard : memPool;
    return cudaSuccess;
}

cudaError_t cudaMemGetDefaultMemPool(Gpu& gpu, cudaMemPool_t* memPool, cudaMemLocation* location,
                                     cudaMemAllocationType type) {
    return pool_of_location(gpu, memPool, location, type, &PoolChoice::standard);
}

cudaError_t cudaMemGetMemPool(Gpu& gpu, cudaMemPool_t* memPool, cudaMemLocation* location, cudaMemAllocationType type) {
    return pool_of_location(gpu, memPool, location, type, &PoolChoice::current);
}

cudaError_t cudaMemSetMemPool(Gpu& gpu, cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t memPool) {
    PoolPlace place;
    const cudaError_t bad = place_of_pool(gpu, location, type, place);
    return bad != cudaSuccess ? bad : choose_pool(gpu, place, memPool);
}

// A pool to share between processes is made (as on an H200); that nothing takes its handle is said there.
cudaError_t cudaMemPoolCreate(Gpu& gpu, cudaMemPool_t* memPool, const cudaMemPoolProps* props) {
    if (!memPool || !props) return refuse(cudaErrorInvalidValue, "{} is null", memPool ? "poolProps" : "memPool");
    constexpr int known_handles = cudaMemHandleTypePosixFileDescriptor | cudaMemHandleTypeWin32 |
                                  cudaMemHandleTypeWin32Kmt | cudaMemHandleTypeFabric;
    if (static_cast<int>(props->handleTypes) & ~known_handles)
        return refuse(cudaErrorInvalidValue, "there are no handles of type {}", static_cast<int>(props->handleTypes));
    PoolPlace place;
    if (const cudaError_t bad = place_of_pool(gpu, &props->location, props->allocType, place); bad != cudaSuccess)
        return bad;
    const bool shareable = (static_cast<int>(props->handleTypes) & cudaMemHandleTypePosixFileDescriptor) != 0;
    *memPool = gpu.memory.pools.add(
        {.kind = place.kind, .device = place.device, .shareable = shareable, .most = props->maxSize});
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(Gpu& gpu, cudaMemPool_t memPool) {
    const MemoryPool* pool = gpu.memory.pools.find(memPool);
    if (!pool) return refuse(cudaErrorInvalidValue, "{} is not a memory pool, or was destroyed", fmt::ptr(memPool));
    if (pool->is_default) return refuse(cudaErrorInvalidValue, "a device's default pool cannot be destroyed");
    // "If any pointers obtained from this pool haven't been freed [...] the function will return immediately".
    gpu.memory.destroy_pool(memPool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(Gpu& gpu, cudaMemPool_t memPool, std::size_t minBytesToKeep) {
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    MemoryPool* pool = gpu.memory.pools.find(memPool);
    if (!pool) return refuse(cudaErrorInvalidValue, "{} is not a memory pool, or was destroyed", fmt::ptr(memPool));
    pool->trim(minBytesToKeep);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(Gpu& gpu, cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
    MemoryPool* pool = gpu.memory.pools.find(memPool);
    if (!pool || !value) return bad_pool(gpu, memPool, "value");
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
                return refuse(cudaErrorInvalidValue, "it can only be set to zero");
            if (attr == cudaMemPoolAttrUsedMemHigh) {
                pool->used_high = pool->used;
            } else {
                pool->reserved_high = pool->reserved;
            }
            return cudaSuccess;
        default:
            return refuse(cudaErrorInvalidValue, "the attribute cannot be set");
    }
}

cudaError_t cudaMemPoolGetAttribute(Gpu& gpu, cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
    MemoryPool* pool = gpu.memory.pools.find(memPool);
    if (!pool || !value) return bad_pool(gpu, memPool, "value");
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
            return refuse(cudaErrorInvalidValue, "there is no pool attribute {}", static_cast<int>(attr));
    }
}

// Every virtual device reaches the memory of all, but host memory only through pools that some device was let into.
cudaError_t cudaMemPoolSetAccess(Gpu& gpu, cudaMemPool_t memPool, const cudaMemAccessDesc* descList,
                                 std::size_t count) {
    MemoryPool* pool = gpu.memory.pools.find(memPool);
    if (!pool || (count > 0 && !descList)) return bad_pool(gpu, memPool, "descList");
    // The codes are those of an H200.
    for (const cudaMemAccessDesc& each : std::span(descList, count)) {
        if (each.flags != cudaMemAccessFlagsProtNone && each.flags != cudaMemAccessFlagsProtReadWrite)
            return refuse(cudaErrorNotSupported, "access is to read and write, or none");
        if (each.location.type < cudaMemLocationTypeDevice || each.location.type > cudaMemLocationTypeHostNumaCurrent)
            return refuse(cudaErrorInvalidValue, "the location is neither the host nor a device");
        if (each.location.type != cudaMemLocationTypeDevice) {
            if (each.flags == cudaMemAccessFlagsProtReadWrite) continue;
            return refuse(cudaErrorNotSupported, "the host's access cannot be taken away");
        }
        if (!gpu.has_device(each.location.id))
            return refuse(cudaErrorInvalidDevice, "there is no device {}", each.location.id);
        if (each.flags == cudaMemAccessFlagsProtNone && each.location.id == pool->device)
            return refuse(cudaErrorInvalidDevice, "a pool's own device always has access");
    }
    for (const cudaMemAccessDesc& each : std::span(descList, count)) {
        if (each.location.type != cudaMemLocationTypeDevice) continue;
        if (each.flags == cudaMemAccessFlagsProtNone)
            pool->devices_with_access.erase(each.location.id);
        else
            pool->devices_with_access.insert(each.location.id);
    }
    for (const auto& [address, block] : gpu.memory.records())
        if (block.pool == memPool) open_to(gpu, address, pool->devices());
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(Gpu& gpu, cudaMemAccessFlags* flags, cudaMemPool_t memPool,
                                 cudaMemLocation* location) {
    const MemoryPool* pool = gpu.memory.pools.find(memPool);
    if (!flags || !location || !pool) return bad_pool(gpu, memPool, flags ? "location" : "flags");
    if (location->type < cudaMemLocationTypeDevice || location->type > cudaMemLocationTypeHostNumaCurrent)
        return refuse(cudaErrorInvalidValue, "the location is neither the host nor a device");
    *flags = access_of(*pool, *location);
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
