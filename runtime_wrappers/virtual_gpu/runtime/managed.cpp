// Managed memory: one address for host and device. Migration is a matter of time only, so that prefetches and advice
// are checked and remembered.
#include <cstring>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/capture.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// Pages of one managed allocation; `block` is null, after saying why, where the range is none.
struct ManagedRange {
    AllocationRecord* block = nullptr;
    std::uint64_t offset = 0, bytes = 0;

    template <class Change>
    void change(Change change) const {
        block->advice.change(offset, bytes, change);
    }
};

ManagedRange managed_range(Gpu& gpu, const void* pointer, std::size_t count) {
    const Address address = reinterpret_cast<Address>(pointer);
    const auto allocation = gpu.memory.space->find(address);
    if (!allocation || allocation->kind != MemoryKind::managed) {
        refuse_with_hint(cudaErrorInvalidValue, fmt::format("{} is not managed memory", pointer),
                         "allocate it with cudaMallocManaged");
        return {};
    }
    if (count == 0 || !allocation->contains(address, count)) {
        refuse(cudaErrorInvalidValue, "{} bytes do not fit the allocation of {} bytes", count, allocation->size);
        return {};
    }
    AllocationRecord* block = gpu.memory.record_at(allocation->begin);
    if (!block) return {};
    return {block, address - allocation->begin, count};
}

/// The device that a location names, cudaCpuDeviceId for the host; nullopt if it names none.
std::optional<int> place(const Gpu& gpu, cudaMemLocation location) {
    switch (location.type) {
        case cudaMemLocationTypeDevice:
            if (!gpu.has_device(location.id)) return std::nullopt;
            return location.id;
        case cudaMemLocationTypeHost:
        case cudaMemLocationTypeHostNuma:
        case cudaMemLocationTypeHostNumaCurrent:
            return cudaCpuDeviceId;
        default:
            return std::nullopt;
    }
}

int location_type(int place) {
    if (place == cudaInvalidDeviceId) return cudaMemLocationTypeInvalid;
    return place == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
}

}  // namespace

cudaError_t cudaMallocManaged(Gpu& gpu, void** devPtr, std::size_t size, unsigned flags) {
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    if (!devPtr) return cudaErrorInvalidValue;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return refuse(cudaErrorInvalidValue, "flags must be cudaMemAttachGlobal or cudaMemAttachHost");
    if (!gpu.profile.managed_memory)
        return refuse(cudaErrorNotSupported, "a {} has no managed memory", gpu.profile.full_name);
    return gpu.memory.allocate_host(*devPtr, size, MemoryKind::managed, flags);
}

cudaError_t cudaMemPrefetchAsync(Gpu& gpu, const void* devPtr, std::size_t count, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    const auto target = place(gpu, location);
    if (!target) return location.type == cudaMemLocationTypeDevice ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    if (flags != 0) return cudaErrorInvalidValue;
    const ManagedRange range = managed_range(gpu, devPtr, count);
    if (!range.block) return cudaErrorInvalidValue;
    range.change([&](Advice& page) { page.last_prefetch = *target; });
    return gpu.submit(*on, PrefetchTask{count});
}

cudaError_t cudaMemAdvise(Gpu& gpu, const void* devPtr, std::size_t count, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return refuse(cudaErrorInvalidValue, "there is no advice {}", static_cast<int>(advice));
    const ManagedRange range = managed_range(gpu, devPtr, count);
    if (!range.block) return cudaErrorInvalidValue;
    const auto target = place(gpu, location);
    const bool needs_place = advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy ||
                             advice == cudaMemAdviseUnsetAccessedBy;
    if (location.type < cudaMemLocationTypeDevice || location.type > cudaMemLocationTypeHostNumaCurrent ||
        (needs_place && !target))
        return refuse(cudaErrorInvalidValue, "the location is neither the host nor a device");
    range.change([&](Advice& page) {
        switch (advice) {
            case cudaMemAdviseSetReadMostly:
            case cudaMemAdviseUnsetReadMostly:
                page.read_mostly = advice == cudaMemAdviseSetReadMostly;
                break;
            case cudaMemAdviseSetPreferredLocation:
                page.preferred_location = *target;
                break;
            case cudaMemAdviseUnsetPreferredLocation:
                page.preferred_location = cudaInvalidDeviceId;
                break;
            case cudaMemAdviseSetAccessedBy:
                page.accessed_by.insert(*target);
                break;
            case cudaMemAdviseUnsetAccessedBy:
                page.accessed_by.erase(*target);
                break;
        }
    });
    return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttribute(Gpu& gpu, void* data, std::size_t dataSize, cudaMemRangeAttribute attribute,
                                     const void* devPtr, std::size_t count) {
    if (!data) return cudaErrorInvalidValue;
    const ManagedRange range = managed_range(gpu, devPtr, count);
    if (!range.block) return cudaErrorInvalidValue;
    const Advice advice = range.block->advice.common(range.offset, range.bytes);
    int* values = static_cast<int*>(data);
    if (attribute == cudaMemRangeAttributeAccessedBy) {
        if (dataSize == 0 || dataSize % sizeof(int) != 0) return cudaErrorInvalidValue;
        // Devices, then the host (recorded on an H200).
        std::vector<int> places(advice.accessed_by.begin(), advice.accessed_by.end());
        std::ranges::stable_partition(places, [](int place) { return place != cudaCpuDeviceId; });
        places.resize(std::max(places.size(), dataSize / sizeof(int)), cudaInvalidDeviceId);
        std::copy_n(places.begin(), dataSize / sizeof(int), values);
        return cudaSuccess;
    }
    if (dataSize != sizeof(int)) return refuse(cudaErrorInvalidValue, "this attribute takes {} bytes", sizeof(int));
    switch (attribute) {
        case cudaMemRangeAttributeReadMostly:
            *values = advice.read_mostly;
            return cudaSuccess;
        case cudaMemRangeAttributePreferredLocation:
        case cudaMemRangeAttributePreferredLocationId:
            *values = advice.preferred_location;
            return cudaSuccess;
        case cudaMemRangeAttributeLastPrefetchLocation:
        case cudaMemRangeAttributeLastPrefetchLocationId:
            *values = advice.last_prefetch;
            return cudaSuccess;
        case cudaMemRangeAttributePreferredLocationType:
            *values = location_type(advice.preferred_location);
            return cudaSuccess;
        case cudaMemRangeAttributeLastPrefetchLocationType:
            *values = location_type(advice.last_prefetch);
            return cudaSuccess;
        default:
            return refuse(cudaErrorInvalidValue, "there is no range attribute {}", static_cast<int>(attribute));
    }
}

cudaError_t cudaMemRangeGetAttributes(Gpu& gpu, void** data, std::size_t* dataSizes, cudaMemRangeAttribute* attributes,
                                      std::size_t numAttributes, const void* devPtr, std::size_t count) {
    if (!data || !dataSizes || !attributes || numAttributes == 0) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < numAttributes; ++i) {
        const cudaError_t status = cudaMemRangeGetAttribute(gpu, data[i], dataSizes[i], attributes[i], devPtr, count);
        if (status != cudaSuccess) return status;
    }
    return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(Gpu& gpu, cudaStream_t stream, void* devPtr, std::size_t length, unsigned flags) {
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t bad = refuse_captured(gpu, *on); bad != cudaSuccess) return bad;
    const auto allocation = gpu.memory.space->find(reinterpret_cast<Address>(devPtr));
    const bool whole = allocation && (length == 0 || length == allocation->size) &&
                       allocation->begin == reinterpret_cast<Address>(devPtr);
    if (!whole || allocation->kind != MemoryKind::managed)
        return refuse(cudaErrorInvalidValue, "{} is not the beginning of managed memory, or length is not its size",
                      devPtr);
    const bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    const bool null_stream = stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
    if (!known || (flags == cudaMemAttachSingle && null_stream))
        return refuse(cudaErrorInvalidValue, "cudaMemAttachSingle needs a stream that was created");
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
