// cudaDeviceSetLimit and the persisting share of the L2 cache. What is rounded, and how, was recorded on an H200.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/profile/profiler.h"
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/capture.h"

namespace cudash::virtual_gpu::runtime {
namespace {

std::size_t round_up(std::size_t value, std::size_t unit) {
    return (value + unit - 1) / unit * unit;
}

// Limits that only the driver API names, of contexts shared with graphics. Both can be asked for, and not be set.
constexpr int shared_memory_limit = 7;     // CU_LIMIT_SHMEM_SIZE
constexpr int graphics_context_limit = 8;  // CU_LIMIT_CIG_ENABLED

}  // namespace

cudaError_t cudaDeviceGetLimit(Gpu& gpu, std::size_t* value, cudaLimit limit) {
    const int number = static_cast<int>(limit);
    const bool known = limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize;
    if (!value) return refuse(cudaErrorInvalidValue, "pValue is a null pointer");
    if (number == shared_memory_limit || number == graphics_context_limit) {
        *value = number == shared_memory_limit ? gpu.profile.shared_per_block_optin : 0;
        return cudaSuccess;
    }
    if (!known) return refuse(cudaErrorInvalidValue, "there is no limit {}", static_cast<int>(limit));
    if (limit == cudaLimitDevRuntimeSyncDepth) return cudaErrorUnsupportedLimit;  // gone with compute capability 9.0
    *value = gpu.device().limits[limit];
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(Gpu& gpu, cudaLimit limit, std::size_t value) {
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    constexpr std::size_t printf_least = 512 << 10, heap_least = 4 << 20, pending_least = 32, stack_unit = 16,
                          printf_unit = 256, heap_unit = 64 << 10;
    constexpr std::size_t stack_most = (512 << 10) - 1024, fetch_most = 128, printf_most = 2ull << 30,
                          pending_most = 599186;
    const std::size_t memory = gpu.profile.global_memory;
    if (const int number = static_cast<int>(limit); number == shared_memory_limit || number == graphics_context_limit)
        return refuse(cudaErrorNotPermitted, "limit {} can only be asked for", number);
    switch (limit) {
        case cudaLimitStackSize:
            if (value > stack_most)
                return refuse(cudaErrorInvalidValue, "{} bytes of stack per thread are more than {}", value,
                              stack_most);
            value = round_up(value, stack_unit);
            break;
        case cudaLimitPrintfFifoSize:
            value = std::clamp(round_up(value, printf_unit), printf_least, printf_most);
            break;
        case cudaLimitMallocHeapSize:
            if (gpu.device().heap_used)
                return refuse_with_hint(cudaErrorInvalidValue,
                                        "the heap has its size: a kernel that calls malloc() or free() has run",
                                        "set cudaLimitMallocHeapSize before the first launch of such a kernel");
            if (value > memory) return refuse(cudaErrorMemoryAllocation, "the device has {} bytes", memory);
            value = std::max(round_up(value, heap_unit), heap_least);
            break;
        case cudaLimitDevRuntimeSyncDepth:
            return refuse(cudaErrorUnsupportedLimit, "device-side synchronization is gone since CUDA 12");
        case cudaLimitDevRuntimePendingLaunchCount:
            value = std::clamp(value, pending_least, pending_most);
            break;
        case cudaLimitMaxL2FetchGranularity:
            if (value > fetch_most) return refuse(cudaErrorInvalidValue, "the granularity is at most {}", fetch_most);
            break;
        case cudaLimitPersistingL2CacheSize: {
            const std::size_t most = gpu.profile.persisting_l2_max;
            if (most == 0)
                return refuse(cudaErrorUnsupportedLimit, "a {} cannot set L2 cache aside", gpu.profile.full_name);
            if (value > most)
                return refuse_with_hint(cudaErrorInvalidValue,
                                        fmt::format("{} bytes are more than persistingL2CacheMaxSize, {}", value, most),
                                        "use std::min with cudaDeviceProp::persistingL2CacheMaxSize");
            value = round_up(value, most / 10);
            break;
        }
        default:
            return refuse(cudaErrorInvalidValue, "there is no limit {}", static_cast<int>(limit));
    }
    gpu.device().limits[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(Gpu& gpu) {
    gpu.persisting_l2.reset(gpu.current());
    gpu.profiler->observer().caches().reset_persisting(gpu.current());
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
