// Attributes of streams: access-policy windows of the L2 cache, priority and synchronisation policy.
#include <algorithm>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/device_attributes.h"
#include "runtime_wrappers/virtual_gpu/runtime/stream_attribute.h"

namespace cudash::virtual_gpu::runtime {

// What an H200 refuses: a window beyond accessPolicyMaxWindowSize, a hitRatio outside [0, 1] (a NaN passes) and a
// missProp of persisting. It takes any base pointer and any hitProp.
cudaError_t check_window(Gpu& gpu, const cudaAccessPolicyWindow& window) {
    const std::uint64_t most = gpu.profile.access_policy_max_window;
    if (window.num_bytes > most)
        return refuse_with_hint(
            cudaErrorInvalidValue,
            fmt::format("num_bytes = {} is more than accessPolicyMaxWindowSize = {}", window.num_bytes, most),
            "use std::min<std::size_t> with cudaDeviceProp::accessPolicyMaxWindowSize");
    if (window.hitRatio < 0.0f || window.hitRatio > 1.0f)
        return refuse(cudaErrorInvalidValue, "hitRatio = {} is outside [0, 1]", window.hitRatio);
    if (window.missProp == cudaAccessPropertyPersisting)
        return refuse(cudaErrorInvalidValue,
                      "missProp must be cudaAccessPropertyNormal or cudaAccessPropertyStreaming");
    return cudaSuccess;
}

cudaError_t cudaStreamSetAttribute(Gpu& gpu, cudaStream_t stream, cudaLaunchAttributeID attr,
                                   const cudaStreamAttrValue* value) {
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    if (!value) return refuse(cudaErrorInvalidValue, "value is null");
    switch (attr) {
        case cudaLaunchAttributeAccessPolicyWindow: {
            const cudaError_t status = check_window(gpu, value->accessPolicyWindow);
            if (status == cudaSuccess) on->window = value->accessPolicyWindow;
            return status;
        }
        case cudaLaunchAttributeSynchronizationPolicy:
            if (value->syncPolicy < cudaSyncPolicyAuto || value->syncPolicy > cudaSyncPolicyBlockingSync)
                return refuse(cudaErrorInvalidValue, "there is no synchronization policy {}",
                              static_cast<int>(value->syncPolicy));
            on->synchronization = value->syncPolicy;
            return cudaSuccess;
        case cudaLaunchAttributeMemSyncDomainMap:
            on->memory_sync_domains = value->memSyncDomainMap;
            return cudaSuccess;
        case cudaLaunchAttributeMemSyncDomain:
            on->memory_sync_domain = value->memSyncDomain;
            return cudaSuccess;
        case cudaLaunchAttributePriority:
            on->priority = std::clamp(value->priority, greatest_stream_priority, least_stream_priority);
            return cudaSuccess;
        default:
            return refuse(cudaErrorInvalidValue, "attribute {} is not one of streams", static_cast<int>(attr));
    }
}

cudaError_t cudaStreamGetAttribute(Gpu& gpu, cudaStream_t stream, cudaLaunchAttributeID attr,
                                   cudaStreamAttrValue* value) {
    const Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    if (!value) return refuse(cudaErrorInvalidValue, "value_out is null");
    switch (attr) {
        case cudaLaunchAttributeAccessPolicyWindow:
            value->accessPolicyWindow = on->window;
            return cudaSuccess;
        case cudaLaunchAttributeSynchronizationPolicy:
            value->syncPolicy = on->synchronization;
            return cudaSuccess;
        case cudaLaunchAttributeMemSyncDomainMap:
            value->memSyncDomainMap = on->memory_sync_domains;
            return cudaSuccess;
        case cudaLaunchAttributeMemSyncDomain:
            value->memSyncDomain = on->memory_sync_domain;
            return cudaSuccess;
        case cudaLaunchAttributePriority:
            value->priority = on->priority;
            return cudaSuccess;
        default:
            return refuse(cudaErrorInvalidValue, "attribute {} is not one of streams", static_cast<int>(attr));
    }
}

cudaError_t cudaStreamCopyAttributes(Gpu& gpu, cudaStream_t dst, cudaStream_t src) {
    Stream* to = gpu.stream(dst);
    const Stream* from = to ? gpu.stream(src) : nullptr;
    if (!from) return cudaErrorInvalidResourceHandle;
    to->window = from->window;
    to->synchronization = from->synchronization;
    to->priority = from->priority;
    to->memory_sync_domains = from->memory_sync_domains;
    to->memory_sync_domain = from->memory_sync_domain;
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
