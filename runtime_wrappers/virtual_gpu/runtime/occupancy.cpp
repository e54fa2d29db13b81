// How many blocks a multiprocessor holds at once.
#include "runtime_wrappers/virtual_gpu/model/occupancy.h"

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/kernel_limits.h"

namespace cudash::virtual_gpu::runtime {

Occupancy occupancy_of(Gpu& gpu, const Kernel& kernel, unsigned threads, std::size_t dynamic_shared) {
    BlockResources block;
    block.threads = threads;
    block.registers_per_thread = gpu.modules->registers(kernel).value_or(0);
    block.static_shared = kernel.info->static_shared;
    block.dynamic_shared = dynamic_shared;
    return occupancy(gpu.profile, block);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(Gpu& gpu, int* numBlocks, const void* func, int blockSize,
                                                          std::size_t dynamicSMemSize) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(gpu, numBlocks, func, blockSize, dynamicSMemSize,
                                                                  cudaOccupancyDefault);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(Gpu& gpu, int* numBlocks, const void* func,
                                                                   int blockSize, std::size_t dynamicSMemSize,
                                                                   unsigned flags) {
    if (!numBlocks) return cudaErrorInvalidValue;
    cudaError_t status = cudaSuccess;
    const Kernel* kernel = gpu.modules->kernel(func, status);
    if (!kernel) return status;
    *numBlocks = 0;
    if (blockSize <= 0) return gpu.refuse(cudaErrorInvalidValue, "a block has at least one thread, not {}", blockSize);
    if (flags & ~static_cast<unsigned>(cudaOccupancyDisableCachingOverride))
        return gpu.refuse(cudaErrorInvalidValue, "{:#x} is no combination of occupancy flags", flags);
    // Beyond what the kernel may have, no block fits (recorded on an H200): 0 blocks, and no error.
    const bool allowed = dynamicSMemSize <= max_dynamic_shared(gpu, *kernel);
    *numBlocks =
        allowed ? static_cast<int>(occupancy_of(gpu, *kernel, static_cast<unsigned>(blockSize), dynamicSMemSize).blocks)
                : 0;
    return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(Gpu& gpu, std::size_t* dynamicSmemSize, const void* func,
                                                      int numBlocks, int blockSize) {
    if (!dynamicSmemSize) return cudaErrorInvalidValue;
    cudaError_t status = cudaSuccess;
    const Kernel* kernel = gpu.modules->kernel(func, status);
    if (!kernel) return status;
    if (numBlocks <= 0 || blockSize <= 0)
        return gpu.refuse(cudaErrorInvalidValue, "numBlocks and blockSize must be greater than 0");
    const auto resident = occupancy_of(gpu, *kernel, static_cast<unsigned>(blockSize), 0).blocks;
    if (static_cast<unsigned>(numBlocks) > resident)
        return gpu.refuse(cudaErrorInvalidValue,
                          "at most {} blocks of {} threads are resident, even without shared memory", resident,
                          blockSize);
    *dynamicSmemSize = std::min<std::size_t>(
        available_dynamic_shared(gpu.profile, static_cast<unsigned>(numBlocks), kernel->info->static_shared),
        max_dynamic_shared(gpu, *kernel));
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
