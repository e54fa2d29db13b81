// What a kernel is and how it is to be launched: attributes and preferences.
#include <algorithm>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/kernel_limits.h"

namespace cudash::virtual_gpu::runtime {

unsigned max_dynamic_shared(const Gpu& gpu, const Kernel& kernel) {
    const unsigned fixed = kernel.info->static_shared;
    const unsigned usual = gpu.profile.shared_per_block > fixed ? gpu.profile.shared_per_block - fixed : 0;
    return kernel.state->max_dynamic_shared.value_or(usual);
}

cudaError_t cudaFuncGetAttributes(Gpu& gpu, cudaFuncAttributes* attr, const void* func) {
    if (!attr) return cudaErrorInvalidValue;
    cudaError_t status = cudaSuccess;
    const Kernel* kernel = gpu.modules().kernel(func, status);
    if (!kernel) return status;
    const FunctionState& state = *kernel->state;
    std::memset(attr, 0, sizeof *attr);
    attr->sharedSizeBytes = kernel->info->static_shared;
    attr->constSizeBytes = kernel->info->constant_bytes;
    attr->localSizeBytes = kernel->info->local_per_thread;
    attr->numRegs = static_cast<int>(gpu.modules().registers(*kernel).value_or(0));
    attr->maxThreadsPerBlock = static_cast<int>(max_threads(gpu, *kernel));
    attr->ptxVersion = static_cast<int>(kernel->ptx_target ? kernel->ptx_target : gpu.profile.nvrtc_arch);
    attr->binaryVersion = static_cast<int>(gpu.profile.cc_major * 10 + gpu.profile.cc_minor);
    attr->maxDynamicSharedSizeBytes = static_cast<int>(max_dynamic_shared(gpu, *kernel));
    attr->preferredShmemCarveout = state.carveout;
    const Dim3& written = kernel->info->cluster;  // __cluster_dims__
    attr->clusterDimMustBeSet = written.x != 0;
    attr->requiredClusterWidth = written.x ? static_cast<int>(written.x) : state.required_cluster_width;
    attr->requiredClusterHeight = written.x ? static_cast<int>(written.y) : state.required_cluster_height;
    attr->requiredClusterDepth = written.x ? static_cast<int>(written.z) : state.required_cluster_depth;
    attr->nonPortableClusterSizeAllowed = state.non_portable_cluster;
    attr->clusterSchedulingPolicyPreference = state.cluster_scheduling;
    return cudaSuccess;
}

unsigned max_threads(Gpu& gpu, const Kernel& kernel) {
    const unsigned limit = kernel.max_threads;
    if (kernel.register_bound <= gpu.profile.registers_per_block / limit) return limit;
    const auto registers = gpu.modules().registers(kernel);
    if (!registers || *registers == 0) return limit;
    unsigned threads = limit;
    while (threads > 32 && allocated_registers(gpu.profile, threads, *registers) > gpu.profile.registers_per_block)
        threads = (threads - 1) / 32 * 32;
    return threads;
}

cudaError_t cudaFuncSetAttribute(Gpu& gpu, const void* func, cudaFuncAttribute attr, int value) {
    cudaError_t status = cudaSuccess;
    const Kernel* kernel = gpu.modules().kernel(func, status);
    if (!kernel) return status;
    FunctionState& state = *kernel->state;
    const bool of_cluster = attr == cudaFuncAttributeRequiredClusterWidth ||
                            attr == cudaFuncAttributeRequiredClusterHeight ||
                            attr == cudaFuncAttributeRequiredClusterDepth;
    if (of_cluster && kernel->info->cluster.x != 0)
        return refuse(cudaErrorInvalidValue, "the kernel's __cluster_dims__ say how large its clusters are");
    switch (attr) {
        case cudaFuncAttributeMaxDynamicSharedMemorySize: {
            const std::int64_t most =
                static_cast<std::int64_t>(gpu.profile.shared_per_block_optin) - kernel->info->static_shared;
            if (value < 0 || value > most)
                return refuse_with_hint(
                    cudaErrorInvalidValue,
                    fmt::format("{} bytes: the kernel may have at most {} (sharedMemPerBlockOptin {} less {} static)",
                                value, most, gpu.profile.shared_per_block_optin, kernel->info->static_shared),
                    "ask cudaDeviceGetAttribute for cudaDevAttrMaxSharedMemoryPerBlockOptin");
            state.max_dynamic_shared = static_cast<unsigned>(value);
            return cudaSuccess;
        }
        case cudaFuncAttributePreferredSharedMemoryCarveout:
            if (value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared)
                return refuse(cudaErrorInvalidValue, "the carve-out is a percentage, or -1; {} is neither", value);
            state.carveout = value;
            return cudaSuccess;
        case cudaFuncAttributeRequiredClusterWidth:
            if (value < 0) return refuse(cudaErrorInvalidValue, "a cluster has no {} blocks", value);
            state.required_cluster_width = value;
            return cudaSuccess;
        case cudaFuncAttributeRequiredClusterHeight:
            if (value < 0) return refuse(cudaErrorInvalidValue, "a cluster has no {} blocks", value);
            state.required_cluster_height = value;
            return cudaSuccess;
        case cudaFuncAttributeRequiredClusterDepth:
            if (value < 0) return refuse(cudaErrorInvalidValue, "a cluster has no {} blocks", value);
            state.required_cluster_depth = value;
            return cudaSuccess;
        case cudaFuncAttributeNonPortableClusterSizeAllowed:
            state.non_portable_cluster = value != 0;
            return cudaSuccess;
        case cudaFuncAttributeClusterSchedulingPolicyPreference:
            if (value < cudaClusterSchedulingPolicyDefault || value > cudaClusterSchedulingPolicyLoadBalancing)
                return refuse(cudaErrorInvalidValue, "there is no scheduling policy {} of clusters", value);
            state.cluster_scheduling = value;
            return cudaSuccess;
        default:
            return refuse(cudaErrorInvalidValue, "attribute {} cannot be set", static_cast<int>(attr));
    }
}

cudaError_t cudaFuncSetCacheConfig(Gpu& gpu, const void* func, cudaFuncCache cacheConfig) {
    cudaError_t status = cudaSuccess;
    const Kernel* kernel = gpu.modules().kernel(func, status);
    if (!kernel) return status;
    if (cacheConfig < cudaFuncCachePreferNone || cacheConfig > cudaFuncCachePreferEqual)
        return refuse(cudaErrorInvalidValue, "there is no cache configuration {}", static_cast<int>(cacheConfig));
    kernel->state->cache_config = cacheConfig;
    return cudaSuccess;
}

cudaError_t cudaFuncSetSharedMemConfig(Gpu& gpu, const void* func, cudaSharedMemConfig config) {
    cudaError_t status = cudaSuccess;
    if (!gpu.modules().kernel(func, status)) return status;
    return cudaDeviceSetSharedMemConfig(gpu, config);
}

cudaError_t cudaFuncGetName(Gpu& gpu, const char** name, const void* func) {
    if (!name) return cudaErrorInvalidValue;
    cudaError_t status = cudaSuccess;
    const Kernel* kernel = gpu.modules().kernel(func, status);
    if (!kernel) return status;
    *name = kernel->info->name.c_str();
    return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(Gpu& gpu, const void* func, std::size_t paramIndex, std::size_t* paramOffset,
                                 std::size_t* paramSize) {
    if (!paramOffset) return cudaErrorInvalidValue;
    cudaError_t status = cudaSuccess;
    const Kernel* kernel = gpu.modules().kernel(func, status);
    if (!kernel) return status;
    const auto& parameters = kernel->info->parameters;
    if (paramIndex >= parameters.size())
        return refuse(cudaErrorInvalidValue, "the kernel has {} parameters", parameters.size());
    *paramOffset = parameters[paramIndex].offset;
    if (paramSize) *paramSize = parameters[paramIndex].size;
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
