// Page-locked host memory. Under unified addressing all of it is mapped and portable at its own address, whatever the
// flags say (Programming Guide, "Mapped Memory"; recorded on an H200).
#include <cstring>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/capture.h"

namespace cudash::virtual_gpu::runtime {
namespace {

constexpr unsigned host_alloc_flags = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
constexpr unsigned register_flags =
    cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

/// Small allocations share a block, one for write-combined memory and one for other memory. Whether a block is portable
/// is decided by the first of them (recorded on an H200 for 100 bytes; where small ends is not known).
unsigned flags_of_block(const Gpu& gpu, std::size_t size, unsigned flags) {
    constexpr std::size_t most_shared = std::size_t{1} << 20;
    if (size > most_shared) return flags;
    for (const auto& [address, block] : gpu.memory.records()) {
        if (block.size > most_shared || !block.host || block.pool) continue;
        const auto shared = gpu.memory.space->find(address);
        if (!shared || shared->kind != MemoryKind::pinned || ((shared->flags ^ flags) & cudaHostAllocWriteCombined))
            continue;
        return (flags & ~unsigned{cudaHostAllocPortable}) | (shared->flags & cudaHostAllocPortable);
    }
    return flags;
}

cudaError_t allocate_pinned(Gpu& gpu, void** pointer, std::size_t size, unsigned flags) {
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    if (!pointer) return refuse(cudaErrorInvalidValue, "there is nowhere to put the address");
    return gpu.memory.allocate_host(*pointer, size, MemoryKind::pinned,
                                    flags_of_block(gpu, size, flags) | cudaHostAllocMapped);
}

/// The page-locked allocation that holds the pointer.
std::optional<Allocation> pinned(const Gpu& gpu, const void* pointer) {
    auto allocation = gpu.memory.space->find(reinterpret_cast<Address>(pointer));
    const bool locked =
        allocation && (allocation->kind == MemoryKind::pinned || allocation->kind == MemoryKind::registered);
    return locked ? allocation : std::nullopt;
}

cudaError_t not_pinned(const void* pointer) {
    return refuse_with_hint(cudaErrorInvalidValue, fmt::format("{} is not page-locked host memory", pointer),
                            "was it freed already? cudaMallocHost and cudaHostAlloc allocate such memory, "
                            "cudaHostRegister makes other memory so");
}

}  // namespace

cudaError_t cudaMallocHost(Gpu& gpu, void** ptr, std::size_t size) {
    return allocate_pinned(gpu, ptr, size, cudaHostAllocDefault);
}

cudaError_t cudaHostAlloc(Gpu& gpu, void** pHost, std::size_t size, unsigned flags) {
    if (flags & ~host_alloc_flags)
        return refuse(cudaErrorInvalidValue, "{:#x} is not a valid combination of cudaHostAlloc flags", flags);
    return allocate_pinned(gpu, pHost, size, flags);
}

cudaError_t cudaFreeHost(Gpu& gpu, void* ptr) {
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    if (!ptr) return cudaSuccess;
    if (const cudaError_t status = gpu.scheduler.wait_for_devices(); status != cudaSuccess) return status;
    const auto allocation = pinned(gpu, ptr);
    const Address address = reinterpret_cast<Address>(ptr);
    if (!allocation || allocation->kind != MemoryKind::pinned) return not_pinned(ptr);
    if (const AllocationRecord* block = gpu.memory.record_at(allocation->begin); block && block->pool)
        return refuse_with_hint(cudaErrorInvalidValue, "the memory is of a pool", "use cudaFreeAsync or cudaFree");
    if (allocation->begin != address)
        return refuse(cudaErrorInvalidValue, "{} is {} bytes into an allocation", ptr, address - allocation->begin);
    gpu.memory.forget(address);
    return cudaSuccess;
}

cudaError_t cudaHostRegister(Gpu& gpu, void* ptr, std::size_t size, unsigned flags) {
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    if (!ptr || size == 0 || (flags & ~register_flags)) return cudaErrorInvalidValue;
    if (flags & cudaHostRegisterIoMemory)
        return refuse(cudaErrorInvalidValue, "the range is not memory of another device");
    std::uint64_t end;
    if (!__builtin_add_overflow(reinterpret_cast<Address>(ptr), size, &end)) {
        // Recorded on an H200: ranges that no process can have.
        if (end >> 63) return refuse(cudaErrorNotSupported, "a range that ends at {:#x} is none of memory", end);
        if (size >> 47) return refuse(cudaErrorMemoryAllocation, "no program has {} bytes", size);
    }
    if (!is_mapped(ptr, size)) return refuse(cudaErrorInvalidValue, "the range is not this program's memory");
    const auto known = gpu.memory.space->find(reinterpret_cast<Address>(ptr));
    if (known && known->kind != MemoryKind::registered)
        return refuse(cudaErrorInvalidValue, "CUDA allocated the memory: the device knows it already");
    Allocation allocation;
    allocation.begin = reinterpret_cast<Address>(ptr);
    allocation.size = size;
    allocation.kind = MemoryKind::registered;
    allocation.flags = flags | cudaHostRegisterMapped;
    allocation.read_only = flags & cudaHostRegisterReadOnly;
    allocation.origin = gpu.memory.origin();
    if (!gpu.memory.enter_registered(std::move(allocation)))
        return refuse(cudaErrorHostMemoryAlreadyRegistered, "part of the range is known to the device already");
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(Gpu& gpu, void* ptr) {
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    if (!ptr) return cudaErrorInvalidValue;
    const auto allocation = gpu.memory.space->find(reinterpret_cast<Address>(ptr));
    if (allocation &&
        (allocation->kind != MemoryKind::registered || allocation->begin != reinterpret_cast<Address>(ptr)))
        return refuse(cudaErrorInvalidValue, "{} is not the beginning of a range that was registered", ptr);
    if (!allocation) return refuse(cudaErrorHostMemoryNotRegistered, "{} was not given to cudaHostRegister", ptr);
    if (const cudaError_t status = gpu.scheduler.wait_for_devices(); status != cudaSuccess) return status;
    gpu.memory.leave_registered(allocation->begin);
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(Gpu& gpu, void** pDevice, void* pHost, unsigned flags) {
    if (!pDevice || flags != 0) return cudaErrorInvalidValue;
    if (!pinned(gpu, pHost)) return not_pinned(pHost);
    *pDevice = pHost;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(Gpu& gpu, unsigned* pFlags, void* pHost) {
    if (!pFlags) return cudaErrorInvalidValue;
    // Managed memory has flags too (recorded on an H200).
    const auto allocation = gpu.memory.space->find(reinterpret_cast<Address>(pHost));
    const bool managed = allocation && allocation->kind == MemoryKind::managed;
    if (!managed && !pinned(gpu, pHost)) return not_pinned(pHost);
    // That the device only reads it is not told (recorded on an H200).
    *pFlags = managed ? unsigned{cudaHostAllocMapped} : allocation->flags & ~unsigned{cudaHostRegisterReadOnly};
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
