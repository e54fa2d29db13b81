#include "runtime_wrappers/virtual_gpu/runtime/virtual_memory.h"

#include <algorithm>
#include <utility>

#include "runtime_wrappers/virtual_gpu/check/checks.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// Recorded on an H100: minimum and recommended granularity are the same.
constexpr std::uint64_t granularity = std::uint64_t{2} << 20;

bool is_whole(std::uint64_t size) {
    return size != 0 && size % granularity == 0;
}

CUresult not_whole(const char* what, std::uint64_t size) {
    return refuse_with_hint(
        CUDA_ERROR_INVALID_VALUE,
        fmt::format("{} is {}, which is not a multiple of the granularity, {} bytes", what, size, granularity),
        "round it up to a multiple of what cuMemGetAllocationGranularity says");
}

CUresult check_properties(const CUmemAllocationProp* prop) {
    if (!prop) return refuse(CUDA_ERROR_INVALID_VALUE, "the properties are null");
    if (prop->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return refuse(CUDA_ERROR_INVALID_VALUE, "type must be CU_MEM_ALLOCATION_TYPE_PINNED");
    if (prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return refuse(CUDA_ERROR_NOT_SUPPORTED, "the virtual GPU maps memory of devices, not of the host");
    const unsigned known = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    if (prop->requestedHandleTypes & ~known)
        return refuse(CUDA_ERROR_NOT_SUPPORTED,
                      "memory of the virtual GPU is shared as CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR");
    return CUDA_SUCCESS;
}

VirtualMemory::Handle* find_handle(Gpu& gpu, CUmemGenericAllocationHandle handle) {
    const auto found = gpu.memory.virtual_memory.handles.find(handle);
    if (found != gpu.memory.virtual_memory.handles.end()) return &found->second;
    refuse(CUDA_ERROR_INVALID_VALUE, "{:#x} is not a handle of memory, or was released", handle);
    return nullptr;
}

/// The mappings that make up the range, each of them whole; false after saying that the range is another.
bool whole_mappings(Gpu& gpu, Address ptr, std::uint64_t size, ReservedRoom*& room,
                    std::vector<std::map<Address, MappedMemory>::iterator>& found) {
    room = size == 0 ? nullptr : gpu.memory.virtual_memory.room_of(ptr, size);
    Address at = ptr;
    if (room)
        for (auto each = room->mapped.find(at); each != room->mapped.end() && at < ptr + size && each->first == at;
             each = room->mapped.find(at)) {
            found.push_back(each);
            at += each->second.size;
        }
    if (room && at == ptr + size) return true;
    refuse_with_hint(CUDA_ERROR_INVALID_VALUE,
                     fmt::format("{} bytes at {:#x} are not the whole of what cuMemMap mapped there", size, ptr),
                     "name whole mappings, without gaps between them");
    return false;
}

CUmemGenericAllocationHandle enter(Gpu& gpu, std::shared_ptr<PhysicalMemory> memory) {
    const CUmemGenericAllocationHandle handle = gpu.memory.virtual_memory.next_handle;
    constexpr CUmemGenericAllocationHandle step = 0x40;
    gpu.memory.virtual_memory.next_handle += step;
    gpu.memory.virtual_memory.handles.emplace(handle, VirtualMemory::Handle{.memory = std::move(memory)});
    return handle;
}

}  // namespace

PhysicalMemory::PhysicalMemory(Gpu& gpu, SharedFile its_file, std::uint64_t its_size,
                               const CUmemAllocationProp& its_properties, bool counted)
    : file(std::move(its_file)), size(its_size), properties(its_properties), gpu_(gpu), counted_(counted) {
    if (counted_) gpu_.memory.use_of(properties.location.id).add(size);
}

PhysicalMemory::~PhysicalMemory() {
    if (counted_) gpu_.memory.use_of(properties.location.id).remove(size);
}

ReservedRoom* VirtualMemory::room_of(Address address, std::uint64_t size) {
    auto after = rooms.upper_bound(address);
    if (after == rooms.begin()) return nullptr;
    auto& [begin, room] = *std::prev(after);
    const std::uint64_t offset = address - begin;
    return size <= room.size && offset <= room.size - size ? &room : nullptr;
}

MappedMemory* VirtualMemory::mapped_at(Address address, Address& begin) {
    ReservedRoom* const room = room_of(address, 1);
    if (!room) return nullptr;
    auto after = room->mapped.upper_bound(address);
    if (after == room->mapped.begin()) return nullptr;
    auto& [first, memory] = *std::prev(after);
    begin = first;
    return address - first < memory.size ? &memory : nullptr;
}

void VirtualMemory::show(Gpu& gpu, ReservedRoom& room) {
    for (const Address begin : std::exchange(room.live, {})) gpu.memory.space->release(begin);
    std::vector<Allocation> made;
    for (const auto& [begin, mapped] : room.mapped) {
        DeviceSet devices = 0;
        bool read_only = true;
        for (const auto& [device, flags] : mapped.access) {
            if (flags == CU_MEM_ACCESS_FLAGS_PROT_NONE) continue;
            devices |= device_set(device);
            read_only &= flags == CU_MEM_ACCESS_FLAGS_PROT_READ;
        }
        if (devices == 0) continue;
        // An array may lie in several mappings that follow each other.
        if (!made.empty() && made.back().end() == begin && made.back().devices == devices &&
            made.back().read_only == read_only) {
            made.back().size += mapped.size;
            continue;
        }
        Allocation allocation;
        allocation.begin = begin;
        allocation.size = mapped.size;
        allocation.devices = devices;
        allocation.read_only = read_only;
        allocation.origin = gpu.memory.origin();
        made.push_back(std::move(allocation));
    }
    for (Allocation& each : made) {
        room.live.push_back(each.begin);
        // It may have been written at another address, or before it was mapped here.
        const Allocation entered = gpu.memory.space->enter_shown(std::move(each));
        gpu.checks->memory_written(entered.begin, entered.size);
    }
}

CUresult cuMemGetAllocationGranularity_body(Gpu&, std::size_t* result, const CUmemAllocationProp* prop,
                                            CUmemAllocationGranularity_flags option) {
    if (!result) return refuse(CUDA_ERROR_INVALID_VALUE, "there is nowhere to put the granularity");
    if (const CUresult bad = check_properties(prop); bad != CUDA_SUCCESS) return bad;
    if (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM && option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return refuse(CUDA_ERROR_INVALID_VALUE, "option must be the minimum or the recommended granularity");
    *result = granularity;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve_body(Gpu& gpu, CUdeviceptr* ptr, std::size_t size, std::size_t alignment, CUdeviceptr,
                                  unsigned long long flags) {
    if (!ptr) return refuse(CUDA_ERROR_INVALID_VALUE, "there is nowhere to put the address");
    if (flags != 0) return refuse(CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    if (!is_whole(size)) return not_whole("size", size);
    if ((alignment & (alignment - 1)) != 0)
        return refuse(CUDA_ERROR_INVALID_VALUE, "an alignment is a power of two, or 0");
    const auto begin = gpu.memory.space->reserve(size, std::max<std::uint64_t>(alignment, granularity));
    if (!begin) return refuse(CUDA_ERROR_OUT_OF_MEMORY, "no range of {} bytes is free", size);
    gpu.memory.virtual_memory.rooms[*begin] = {.size = size};
    *ptr = *begin;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressFree_body(Gpu& gpu, CUdeviceptr ptr, std::size_t size) {
    const auto room = gpu.memory.virtual_memory.rooms.find(ptr);
    if (room == gpu.memory.virtual_memory.rooms.end() || room->second.size != size)
        return refuse_with_hint(CUDA_ERROR_INVALID_VALUE,
                                fmt::format("{} bytes at {:#x} are not what cuMemAddressReserve gave", size, ptr),
                                "free the whole range, with the size that was reserved");
    if (!room->second.mapped.empty())
        return refuse_with_hint(CUDA_ERROR_INVALID_VALUE, "memory is mapped in the range", "call cuMemUnmap first");
    gpu.memory.space->unreserve(ptr);
    gpu.memory.virtual_memory.rooms.erase(room);
    return CUDA_SUCCESS;
}

CUresult cuMemCreate_body(Gpu& gpu, CUmemGenericAllocationHandle* handle, std::size_t size,
                          const CUmemAllocationProp* prop, unsigned long long flags) {
    if (!handle) return refuse(CUDA_ERROR_INVALID_VALUE, "there is nowhere to put the handle");
    if (flags != 0) return refuse(CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    if (const CUresult bad = check_properties(prop); bad != CUDA_SUCCESS) return bad;
    if (!gpu.has_device(prop->location.id))
        return refuse(CUDA_ERROR_INVALID_DEVICE, "there is no device {}", prop->location.id);
    if (!is_whole(size)) return not_whole("size", size);
    if (const cudaError_t full = gpu.memory.check_room(size, prop->location.id, nullptr); full != cudaSuccess)
        return static_cast<CUresult>(full);
    SharedFile file = SharedFile::create(std::to_string(prop->location.id), size);
    if (!file) return refuse(CUDA_ERROR_OUT_OF_MEMORY, "this computer gives no memory that can be mapped twice");
    *handle = enter(gpu, std::make_shared<PhysicalMemory>(gpu, std::move(file), size, *prop, true));
    return CUDA_SUCCESS;
}

CUresult cuMemRelease_body(Gpu& gpu, CUmemGenericAllocationHandle handle) {
    VirtualMemory::Handle* const found = find_handle(gpu, handle);
    if (!found) return CUDA_ERROR_INVALID_VALUE;
    if (--found->references == 0) gpu.memory.virtual_memory.handles.erase(handle);
    return CUDA_SUCCESS;
}

CUresult cuMemMap_body(Gpu& gpu, CUdeviceptr ptr, std::size_t size, std::size_t offset,
                       CUmemGenericAllocationHandle handle, unsigned long long flags) {
    const VirtualMemory::Handle* const found = find_handle(gpu, handle);
    if (!found) return CUDA_ERROR_INVALID_VALUE;
    if (flags != 0) return refuse(CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    // Recorded on an H100.
    if (offset != 0 || size != found->memory->size)
        return refuse_with_hint(
            CUDA_ERROR_NOT_SUPPORTED,
            fmt::format("{} bytes from {} on are not the whole memory of {} bytes", size, offset, found->memory->size),
            "map all of it, from offset 0 on");
    ReservedRoom* const room = gpu.memory.virtual_memory.room_of(ptr, size);
    if (!room || ptr % granularity != 0)
        return refuse_with_hint(CUDA_ERROR_INVALID_VALUE,
                                fmt::format("{} bytes at {:#x} are not in a range that is reserved", size, ptr),
                                "map memory where cuMemAddressReserve has reserved room for it");
    const auto next = room->mapped.lower_bound(ptr);
    const bool overlaps = (next != room->mapped.end() && next->first < ptr + size) ||
                          (next != room->mapped.begin() && std::prev(next)->first + std::prev(next)->second.size > ptr);
    if (overlaps)
        return refuse_with_hint(CUDA_ERROR_INVALID_VALUE, "memory is mapped there already", "call cuMemUnmap first");
    if (!gpu.memory.space->show(ptr, found->memory->file, offset, size))
        return refuse(CUDA_ERROR_MAP_FAILED, "the system can't map {} bytes", size);
    room->mapped[ptr] = {.size = size, .memory = found->memory, .handle = handle};
    return CUDA_SUCCESS;
}

CUresult cuMemUnmap_body(Gpu& gpu, CUdeviceptr ptr, std::size_t size) {
    ReservedRoom* const room = size == 0 ? nullptr : gpu.memory.virtual_memory.room_of(ptr, size);
    // Where nothing is mapped, there is nothing to do (recorded on an H100).
    const auto within = [&](Address begin, std::uint64_t bytes) { return begin >= ptr && begin + bytes <= ptr + size; };
    const auto outside = [&](Address begin, std::uint64_t bytes) {
        return begin + bytes <= ptr || begin >= ptr + size;
    };
    const bool whole = room && std::ranges::all_of(room->mapped, [&](const auto& each) {
                           return within(each.first, each.second.size) || outside(each.first, each.second.size);
                       });
    if (!whole)
        return refuse_with_hint(
            CUDA_ERROR_INVALID_VALUE,
            fmt::format("{} bytes at {:#x} are only a part of what was mapped or reserved", size, ptr),
            "unmap the whole of what cuMemMap has mapped");
    // A context that an error has ended lets go of memory all the same.
    (void)gpu.scheduler.wait_for_devices();
    std::erase_if(room->mapped, [&](const auto& each) { return within(each.first, each.second.size); });
    VirtualMemory::show(gpu, *room);
    gpu.memory.space->hide(ptr, size);
    return CUDA_SUCCESS;
}

CUresult cuMemSetAccess_body(Gpu& gpu, CUdeviceptr ptr, std::size_t size, const CUmemAccessDesc* desc,
                             std::size_t count) {
    if (!desc || count == 0) return refuse(CUDA_ERROR_INVALID_VALUE, "no access is described");
    for (std::size_t i = 0; i < count; ++i) {
        if (desc[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || !gpu.has_device(desc[i].location.id))
            return refuse(CUDA_ERROR_INVALID_VALUE, "desc[{}] names no device of the virtual GPU", i);
        const auto flags = desc[i].flags;
        if (flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
            flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return refuse(CUDA_ERROR_INVALID_VALUE, "desc[{}] has flags that are not known", i);
    }
    ReservedRoom* room = nullptr;
    std::vector<std::map<Address, MappedMemory>::iterator> found;
    if (!whole_mappings(gpu, ptr, size, room, found)) return CUDA_ERROR_INVALID_VALUE;
    (void)gpu.scheduler.wait_for_devices();
    for (const auto& each : found)
        for (std::size_t i = 0; i < count; ++i) each->second.access[desc[i].location.id] = desc[i].flags;
    VirtualMemory::show(gpu, *room);
    return CUDA_SUCCESS;
}

CUresult cuMemGetAccess_body(Gpu& gpu, unsigned long long* flags, const CUmemLocation* location, CUdeviceptr ptr) {
    if (!flags || !location) return refuse(CUDA_ERROR_INVALID_VALUE, "flags or location is null");
    Address begin = 0;
    const MappedMemory* const mapped = gpu.memory.virtual_memory.mapped_at(ptr, begin);
    if (!mapped) return refuse(CUDA_ERROR_INVALID_VALUE, "nothing is mapped at {:#x}", ptr);
    if (location->type != CU_MEM_LOCATION_TYPE_DEVICE || !gpu.has_device(location->id))
        return refuse(CUDA_ERROR_INVALID_DEVICE, "location names no device of the virtual GPU");
    const auto access = mapped->access.find(location->id);
    *flags = access == mapped->access.end() ? CU_MEM_ACCESS_FLAGS_PROT_NONE : access->second;
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle_body(Gpu& gpu, CUmemAllocationProp* prop,
                                                     CUmemGenericAllocationHandle handle) {
    if (!prop) return refuse(CUDA_ERROR_INVALID_VALUE, "there is nowhere to put the properties");
    const VirtualMemory::Handle* const found = find_handle(gpu, handle);
    if (!found) return CUDA_ERROR_INVALID_VALUE;
    *prop = found->memory->properties;
    return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle_body(Gpu& gpu, CUmemGenericAllocationHandle* handle, void* addr) {
    if (!handle) return refuse(CUDA_ERROR_INVALID_VALUE, "there is nowhere to put the handle");
    Address begin = 0;
    const MappedMemory* const mapped = gpu.memory.virtual_memory.mapped_at(reinterpret_cast<Address>(addr), begin);
    if (!mapped) return refuse(CUDA_ERROR_INVALID_VALUE, "nothing is mapped at {}", addr);
    const auto known = gpu.memory.virtual_memory.handles.find(mapped->handle);
    if (known == gpu.memory.virtual_memory.handles.end()) {
        gpu.memory.virtual_memory.handles.emplace(mapped->handle, VirtualMemory::Handle{.memory = mapped->memory});
    } else {
        ++known->second.references;
    }
    *handle = mapped->handle;
    return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle_body(Gpu& gpu, void* shareable, CUmemGenericAllocationHandle handle,
                                           CUmemAllocationHandleType type, unsigned long long flags) {
    if (!shareable) return refuse(CUDA_ERROR_INVALID_VALUE, "there is nowhere to put the handle");
    if (flags != 0) return refuse(CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    const VirtualMemory::Handle* const found = find_handle(gpu, handle);
    if (!found) return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || !(found->memory->properties.requestedHandleTypes & type))
        return refuse_with_hint(CUDA_ERROR_INVALID_VALUE, "the memory was not created to be shared in this way",
                                "set requestedHandleTypes to CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR for cuMemCreate");
    const int descriptor = found->memory->file.duplicate();
    if (descriptor < 0) return refuse(CUDA_ERROR_OPERATING_SYSTEM, "the process has too many files open");
    *static_cast<int*>(shareable) = descriptor;
    return CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle_body(Gpu& gpu, CUmemGenericAllocationHandle* handle, void* given,
                                             CUmemAllocationHandleType type) {
    if (!handle) return refuse(CUDA_ERROR_INVALID_VALUE, "there is nowhere to put the handle");
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return refuse(CUDA_ERROR_NOT_SUPPORTED,
                      "memory of the virtual GPU is shared as CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR");
    const auto descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(given));
    SharedFile file = SharedFile::open(descriptor);
    const std::uint64_t size = file ? file.size() : 0;
    if (!is_whole(size))
        return refuse_with_hint(CUDA_ERROR_UNKNOWN,
                                fmt::format("the file descriptor {} is not of memory of a virtual GPU", descriptor),
                                "pass on what cuMemExportToShareableHandle gave, over a socket (SCM_RIGHTS)");
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = gpu.current()};
    properties.requestedHandleTypes = type;
    *handle = enter(gpu, std::make_shared<PhysicalMemory>(gpu, std::move(file), size, properties, false));
    return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_body(Gpu& gpu, CUdeviceptr* pbase, std::size_t* psize, CUdeviceptr dptr) {
    Address begin = 0;
    std::uint64_t size = 0;
    if (const MappedMemory* const mapped = gpu.memory.virtual_memory.mapped_at(dptr, begin)) {
        size = mapped->size;
    } else if (const auto allocation = gpu.memory.space->find(dptr);
               allocation && allocation->kind != MemoryKind::heap) {
        begin = allocation->begin;
        size = allocation->size;
    } else {
        return refuse(CUDA_ERROR_NOT_FOUND, "{:#x} is not an address of the device", dptr);
    }
    if (pbase) *pbase = begin;
    if (psize) *psize = size;
    return CUDA_SUCCESS;
}

}  // namespace cudash::virtual_gpu::runtime
