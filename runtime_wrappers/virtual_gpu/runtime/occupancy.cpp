// How many blocks a multiprocessor holds at once.
#include "runtime_wrappers/virtual_gpu/model/occupancy.h"

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/model/carveout.h"

#include "runtime_wrappers/virtual_gpu/isa/sizes.h"
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/kernel_limits.h"
#include "runtime_wrappers/virtual_gpu/runtime/task.h"

namespace cudash::virtual_gpu::runtime {

namespace {

/// A preferred carve-out is what the multiprocessor has, as long as one block fits (recorded on an H200). 0: there is
/// no preference.
std::uint32_t preferred_capacity(const Gpu& gpu, const Kernel& kernel, std::size_t dynamic_shared) {
    if (gpu.profile.cc_major < 7 || kernel.state->carveout < 0) return 0;
    const std::uint64_t bytes = size_sum(kernel.info->static_shared, dynamic_shared);
    constexpr std::uint64_t most = 0xFFFF'FFFF;
    return split_for_carveout(gpu.profile, static_cast<unsigned>(kernel.state->carveout),
                              static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bytes, 1, most)))
        .shared;
}

}  // namespace

Occupancy occupancy_of(Gpu& gpu, const Kernel& kernel, unsigned threads, std::size_t dynamic_shared) {
    BlockResources block;
    block.threads = threads;
    block.registers_per_thread = gpu.modules().registers(kernel).value_or(0);
    block.static_shared = kernel.info->static_shared;
    block.dynamic_shared = dynamic_shared;
    block.shared_capacity = preferred_capacity(gpu, kernel, dynamic_shared);
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
    const Kernel* kernel = gpu.modules().kernel(func, status);
    if (!kernel) return status;
    *numBlocks = 0;
    if (blockSize <= 0) return refuse(cudaErrorInvalidValue, "a block has at least one thread, not {}", blockSize);
    if (flags & ~static_cast<unsigned>(cudaOccupancyDisableCachingOverride))
        return refuse(cudaErrorInvalidValue, "{:#x} is not a valid combination of occupancy flags", flags);
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
    const Kernel* kernel = gpu.modules().kernel(func, status);
    if (!kernel) return status;
    if (numBlocks <= 0 || blockSize <= 0)
        return refuse(cudaErrorInvalidValue, "numBlocks and blockSize must be greater than 0");
    const auto resident = occupancy_of(gpu, *kernel, static_cast<unsigned>(blockSize), 0).blocks;
    if (static_cast<unsigned>(numBlocks) > resident)
        return refuse(cudaErrorInvalidValue, "at most {} blocks of {} threads are resident, even without shared memory",
                      resident, blockSize);
    // One block may have more than its carve-out.
    const std::uint32_t preferred = numBlocks > 1 ? preferred_capacity(gpu, *kernel, 0) : 0;
    *dynamicSmemSize = std::min<std::size_t>(
        available_dynamic_shared(gpu.profile, preferred ? preferred : gpu.profile.shared_per_multiprocessor,
                                 static_cast<unsigned>(numBlocks), kernel->info->static_shared),
        max_dynamic_shared(gpu, *kernel));
    return cudaSuccess;
}

namespace {

/// What the queries about clusters need of a configuration.
cudaError_t read_configuration(const cudaLaunchConfig_t* config, LaunchConfiguration& launch) {
    if (!config) return refuse(cudaErrorInvalidValue, "launchConfig is null");
    if (config->numAttrs > 0 && !config->attrs) return refuse(cudaErrorInvalidValue, "attrs is null");
    launch = {
        .grid = config->gridDim, .block = config->blockDim, .shared = static_cast<unsigned>(config->dynamicSmemBytes)};
    for (unsigned i = 0; i < config->numAttrs; ++i)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
            const auto& cluster = config->attrs[i].val.clusterDim;
            launch.cluster = {cluster.x, cluster.y, cluster.z};
        }
    return cudaSuccess;
}

std::uint64_t resident_clusters(Gpu& gpu, const Kernel& kernel, const LaunchConfiguration& launch, std::uint64_t size) {
    const std::uint64_t threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
    if (threads == 0 || threads > gpu.profile.max_threads_per_block || launch.shared > max_dynamic_shared(gpu, kernel))
        return 0;
    const unsigned blocks = occupancy_of(gpu, kernel, static_cast<unsigned>(threads), launch.shared).blocks;
    return active_clusters(gpu.profile, blocks, static_cast<unsigned>(size));
}

}  // namespace

cudaError_t cudaOccupancyMaxActiveClusters(Gpu& gpu, int* numClusters, const void* func,
                                           const cudaLaunchConfig_t* launchConfig) {
    if (!numClusters) return refuse(cudaErrorInvalidValue, "numClusters is null");
    LaunchConfiguration launch;
    cudaError_t status = read_configuration(launchConfig, launch);
    if (status != cudaSuccess) return status;
    const Kernel* kernel = gpu.modules().kernel(func, status);
    if (!kernel) return status;
    const dim3 cluster = cluster_of(*kernel, launch);
    const std::uint64_t size = std::uint64_t{cluster.x} * cluster.y * cluster.z;
    // No clusters, no number of them; and of a size that no device has none, without an error (recorded on an H200).
    const bool too_large = size > most_blocks_of_a_cluster && kernel->state->non_portable_cluster;
    if (!too_large) status = check_cluster(gpu, *kernel, launch);
    if (status != cudaSuccess) return status;
    *numClusters = too_large ? 0 : static_cast<int>(resident_clusters(gpu, *kernel, launch, size));
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(Gpu& gpu, int* clusterSize, const void* func,
                                                 const cudaLaunchConfig_t* launchConfig) {
    if (!clusterSize) return refuse(cudaErrorInvalidValue, "clusterSize is null");
    LaunchConfiguration launch;
    cudaError_t status = read_configuration(launchConfig, launch);
    if (status != cudaSuccess) return status;
    const Kernel* kernel = gpu.modules().kernel(func, status);
    if (!kernel) return status;
    status = check_cluster(gpu, *kernel, launch);
    if (status != cudaSuccess) return status;
    std::uint64_t size = kernel->state->non_portable_cluster ? most_blocks_of_a_cluster : portable_blocks_of_a_cluster;
    while (size > 0 && resident_clusters(gpu, *kernel, launch, size) == 0) --size;
    *clusterSize = static_cast<int>(size);
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
