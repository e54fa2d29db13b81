// Launches: the configuration is checked against the device and the kernel, the parameters are gathered, the stream is
// given the grid.
#include <algorithm>
#include <array>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/isa/sizes.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/capture.h"
#include "runtime_wrappers/virtual_gpu/runtime/kernel_limits.h"
#include "runtime_wrappers/virtual_gpu/runtime/stream_attribute.h"

namespace cudash::virtual_gpu::runtime {
namespace {

std::string shape(const dim3& size) {
    return fmt::format("({}, {}, {})", size.x, size.y, size.z);
}

/// The blocks of a grid, or the threads of a block; far more than any limit where the product has no end.
std::uint64_t product(const dim3& size) {
    const std::uint64_t face = std::uint64_t{size.x} * size.y;
    return face >> 31 ? face : face * size.z;
}

/// A dimension that is above its limit: "blockDim.z is 65, the limit is 64"; "" if none is.
std::string too_large(std::string_view name, const dim3& size, const dim3& limit) {
    struct Axis {
        char name;
        unsigned size, limit;
    };
    for (const Axis& axis : {Axis{'x', size.x, limit.x}, Axis{'y', size.y, limit.y}, Axis{'z', size.z, limit.z}})
        if (axis.size > axis.limit)
            return fmt::format("{}.{} is {}{}, the limit is {}", name, axis.name, axis.size,
                               axis.size >> 31 ? fmt::format(" ({} as an int)", static_cast<int>(axis.size)) : "",
                               axis.limit);
    return {};
}

cudaError_t check_shape(Gpu& gpu, const Kernel& kernel, const LaunchConfiguration& launch) {
    const Profile& p = gpu.profile;
    const dim3 &grid = launch.grid, &block = launch.block;
    if (product(grid) == 0)
        return refuse_with_hint(cudaErrorInvalidValue, "the grid has no blocks",
                                "an integer division that rounds down gives no blocks for small sizes: use (n + "
                                "block - 1) / block");
    if (product(block) == 0)
        return refuse_with_hint(cudaErrorInvalidValue, "the block has no threads",
                                "the second of <<<blocks, threads>>> counts the threads of each block");
    const std::uint64_t threads = product(block);
    std::string refused = too_large("blockDim", block, {p.max_block_x, p.max_block_y, p.max_block_z});
    // Of a block that is only long, the threads say the same in fewer words.
    if (threads > p.max_threads_per_block && block.y <= p.max_block_y && block.z <= p.max_block_z)
        return refuse_with_hint(cudaErrorInvalidValue,
                                fmt::format("{} threads per block, the limit is {}", threads, p.max_threads_per_block),
                                "use smaller blocks and more of them");
    if (!refused.empty()) return refuse(cudaErrorInvalidValue, "{}", refused);
    refused = too_large("gridDim", grid, {p.max_grid_x, p.max_grid_y, p.max_grid_z});
    if (!refused.empty())
        return refuse_with_hint(cudaErrorInvalidValue, refused,
                                grid.x <= p.max_grid_x ? fmt::format("gridDim.x may be up to {}", p.max_grid_x)
                                : grid.x >> 31
                                    ? ""
                                    : "let each thread do more: loop over the work in steps of the grid's size");
    if (kernel.info->local_per_thread > most_local_bytes)
        return refuse_with_hint(
            cudaErrorInvalidValue,
            fmt::format("the kernel needs more than {} bytes of local memory per thread", most_local_bytes),
            "large arrays belong in global memory: allocate them with cudaMalloc");
    if (threads > kernel.max_threads)
        return refuse(cudaErrorInvalidValue, "{} threads per block, the kernel's __launch_bounds__ allow {}", threads,
                      kernel.max_threads);
    return cudaSuccess;
}

cudaError_t check_shared(Gpu& gpu, const Kernel& kernel, const LaunchConfiguration& launch) {
    const Profile& p = gpu.profile;
    const unsigned allowed = max_dynamic_shared(gpu, kernel);
    if (kernel.info->static_shared > p.shared_per_block)
        return refuse(cudaErrorInvalidValue, "the kernel has {}{} bytes of static shared memory, the limit is {}",
                      kernel.info->static_shared >= window_size ? "at least " : "", kernel.info->static_shared,
                      p.shared_per_block);
    if (launch.shared <= allowed) return cudaSuccess;
    if (launch.cooperative)
        return refuse_with_hint(
            cudaErrorCooperativeLaunchTooLarge,
            fmt::format("{} bytes of dynamic shared memory were asked for, and the kernel may have {}: no block of it "
                        "can be resident",
                        launch.shared, allowed),
            "call cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) first");
    const bool could =
        launch.shared <= p.shared_per_block_optin - std::min(p.shared_per_block_optin, kernel.info->static_shared);
    return refuse_with_hint(
        cudaErrorInvalidValue,
        fmt::format("{} bytes of dynamic shared memory{}, the limit is {}", launch.shared,
                    kernel.info->static_shared == 0
                        ? ""
                        : fmt::format(" beside the {} bytes that the kernel declares", kernel.info->static_shared),
                    allowed),
        could ? "call cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) first"
              : fmt::format("a block of this device has at most {} bytes", p.shared_per_block_optin));
}

cudaError_t check_registers(Gpu& gpu, const Kernel& kernel, const LaunchConfiguration& launch) {
    const unsigned threads = launch.block.x * launch.block.y * launch.block.z;
    // Compiling for a real device takes time: only where the PTX names enough registers to matter.
    if (std::uint64_t{kernel.register_bound} * threads <= gpu.profile.registers_per_block) return cudaSuccess;
    if (threads * 256 <= gpu.profile.registers_per_block) return cudaSuccess;
    const auto registers = gpu.modules().registers(kernel);
    if (!registers) return cudaSuccess;
    const unsigned taken = allocated_registers(gpu.profile, threads, *registers);
    if (taken <= gpu.profile.registers_per_block) return cudaSuccess;
    return refuse_with_hint(
        cudaErrorLaunchOutOfResources,
        fmt::format("{} threads of {} registers take {} registers, the limit of a block is {}", threads, *registers,
                    taken, gpu.profile.registers_per_block),
        fmt::format("use fewer threads per block, or give the kernel __launch_bounds__({})", threads));
}

cudaError_t check_cooperative(Gpu& gpu, const Kernel& kernel, const LaunchConfiguration& launch) {
    if (!launch.cooperative) return cudaSuccess;
    if (!gpu.profile.cooperative_launch)
        return refuse(cudaErrorNotSupported, "a {} has no cooperative launches", gpu.profile.full_name);
    const unsigned threads = launch.block.x * launch.block.y * launch.block.z;
    const std::uint64_t resident =
        std::uint64_t{occupancy_of(gpu, kernel, threads, launch.shared).blocks} * gpu.profile.multiprocessors;
    const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    if (blocks <= resident) return cudaSuccess;
    return refuse_with_hint(
        cudaErrorCooperativeLaunchTooLarge,
        fmt::format("{} blocks in a cooperative launch, the limit is {}: all must be resident at once", blocks,
                    resident),
        "let each block do more: loop over the work in steps of the grid's size");
}

/// The parameter bytes as the kernel lays them out.
cudaError_t gather(const Kernel& kernel, void** args, std::vector<std::byte>& bytes) {
    const KernelInfo& info = *kernel.info;
    bytes.assign(info.parameter_bytes, std::byte{0});
    if (info.parameters.empty()) return cudaSuccess;
    if (!args)
        return refuse(cudaErrorInvalidValue, "the kernel has {} parameters, and args is null", info.parameters.size());
    for (std::size_t i = 0; i < info.parameters.size(); ++i) {
        const KernelInfo::Parameter& parameter = info.parameters[i];
        if (!args[i]) return refuse(cudaErrorInvalidValue, "args[{}] is null", i);
        std::memcpy(bytes.data() + parameter.offset, args[i], parameter.size);
    }
    return cudaSuccess;
}

/// Clusters of the preferred shape take the place of whole regular ones (recorded on an H200).
cudaError_t check_preferred_cluster(const LaunchConfiguration& launch, dim3 preferred) {
    if (preferred.x == 0 && preferred.y == 0 && preferred.z == 0) return cudaSuccess;
    const std::uint64_t size = std::uint64_t{preferred.x} * preferred.y * preferred.z;
    const auto is_multiple = [](unsigned of, unsigned unit) { return unit != 0 && of != 0 && of % unit == 0; };
    const bool fits = is_multiple(preferred.x, launch.cluster.x) && is_multiple(preferred.y, launch.cluster.y) &&
                      is_multiple(preferred.z, launch.cluster.z) && is_multiple(launch.grid.x, preferred.x) &&
                      is_multiple(launch.grid.y, preferred.y) && is_multiple(launch.grid.z, preferred.z);
    if (fits && size <= most_blocks_of_a_cluster) return cudaSuccess;
    return refuse(cudaErrorInvalidClusterSize,
                  "preferred clusters of {} are no multiple of the regular ones, {}, that divides the grid",
                  shape(preferred), shape(launch.cluster));
}

cudaError_t launch_kernel(Gpu& gpu, const void* func, const LaunchConfiguration& launch, cudaStream_t handle,
                          void** args, std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes = {}) {
    Stream* stream = gpu.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    // The Programming Guide says that a launch into a stream of another device fails; on two H200s it succeeds
    // (tests/api/calls/resets.cu) and runs on the stream's device.
    KernelTask task;
    const cudaError_t status = prepare_kernel(gpu, func, launch, args, task);
    // A launch that fails ends the capture (recorded on an H200).
    if (status != cudaSuccess && stream->capture) stream->capture->valid = false;
    if (status != cudaSuccess) return status;
    task.attributes = std::move(attributes);
    if (!stream->capture) task.stream_window = stream->window;
    gpu.scheduler.timeline.host_works(call_time);
    const bool debugged = task.debugger && !stream->capture;
    const cudaError_t submitted = gpu.submit(*stream, std::move(task));
    // Host code stands at the launch that stands, as with CUDA_LAUNCH_BLOCKING.
    if (debugged && submitted == cudaSuccess) (void)gpu.scheduler.run_all(stream->device);
    return submitted;
}

}  // namespace

dim3 cluster_of(const Kernel& kernel, const LaunchConfiguration& launch) {
    if (launch.cluster.x || launch.cluster.y || launch.cluster.z) return launch.cluster;
    if (const Dim3& written = kernel.info->cluster; written.x != 0) return {written.x, written.y, written.z};
    const FunctionState& state = *kernel.state;
    const auto axis = [](int blocks) { return static_cast<unsigned>(blocks); };
    if (state.required_cluster_width <= 0) return {0, 0, 0};
    return {axis(state.required_cluster_width), axis(std::max(1, state.required_cluster_height)),
            axis(std::max(1, state.required_cluster_depth))};
}

cudaError_t check_cluster(Gpu& gpu, const Kernel& kernel, const LaunchConfiguration& launch) {
    const dim3 cluster = cluster_of(kernel, launch);
    if (cluster.x == 0 && cluster.y == 0 && cluster.z == 0) return cudaSuccess;
    const std::uint64_t size = std::uint64_t{cluster.x} * cluster.y * cluster.z;
    if (size > 1 && gpu.profile.cluster_units.empty())
        return refuse(cudaErrorNotSupported, "a {} has no thread block clusters: they need compute capability 9.0",
                      gpu.profile.full_name);
    if (size > 1 && launch.cooperative && kernel.info->uses_grid_sync)
        return refuse(cudaErrorNotSupported, "the virtual GPU has no grid.sync() in a launch with clusters");
    LaunchConfiguration plain = launch;
    plain.cluster = {0, 0, 0};
    const dim3 required = cluster_of(kernel, plain);
    if (required.x != 0 && (required.x != cluster.x || required.y != cluster.y || required.z != cluster.z))
        return refuse(cudaErrorInvalidClusterSize, "clusters of {}, and the kernel requires {}", shape(cluster),
                      shape(required));
    const bool divides =
        size != 0 && launch.grid.x % cluster.x == 0 && launch.grid.y % cluster.y == 0 && launch.grid.z % cluster.z == 0;
    if (!divides)
        return refuse(cudaErrorInvalidClusterSize, "clusters of {} do not fit a grid of {}", shape(cluster),
                      shape(launch.grid));
    if (size > most_blocks_of_a_cluster)
        return refuse(cudaErrorInvalidClusterSize, "a cluster has at most {} blocks, not {}", most_blocks_of_a_cluster,
                      size);
    if (size > portable_blocks_of_a_cluster && !kernel.state->non_portable_cluster)
        return refuse_with_hint(
            cudaErrorInvalidClusterSize,
            fmt::format("a cluster of {} blocks: {} fit all devices", size, portable_blocks_of_a_cluster),
            "cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) allows more");
    return cudaSuccess;
}

cudaError_t prepare_kernel(Gpu& gpu, const void* function, const LaunchConfiguration& launch, void** arguments,
                           KernelTask& task) {
    cudaError_t status = cudaSuccess;
    const Kernel* kernel = gpu.modules().kernel(function, status);
    if (!kernel) return status;
    for (auto check : {check_shape, check_shared, check_registers, check_cluster, check_cooperative}) {
        status = check(gpu, *kernel, launch);
        if (status != cudaSuccess) return status;
    }
    task.number = ++gpu.launches.given;
    if (gpu.launches.debugger) {
        task.debugger = gpu.launches.debugger(kernel->display, gpu.modules().has_source(*kernel));
        if (task.debugger) kernel = gpu.modules().debug_kernel(function, status);
        if (!kernel) return status;
    }
    status = gather(*kernel, arguments, task.parameters);
    if (status != cudaSuccess) return status;
    task.function = function;
    task.module = kernel->module;
    task.info = kernel->info;
    task.display = kernel->display;
    task.grid = launch.grid, task.block = launch.block, task.cluster = cluster_of(*kernel, launch);
    task.shared = launch.shared;
    // Clusters run one after the other: nothing in the kernel waits for the grid (check_cluster).
    task.cooperative = launch.cooperative && (task.cluster.x * task.cluster.y * task.cluster.z <= 1);
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(Gpu& gpu, const void* func, dim3 gridDim, dim3 blockDim, void** args,
                             std::size_t sharedMem, cudaStream_t stream) {
    return launch_kernel(gpu, func, {.grid = gridDim, .block = blockDim, .shared = static_cast<unsigned>(sharedMem)},
                         stream, args);
}

cudaError_t cudaLaunchCooperativeKernel(Gpu& gpu, const void* func, dim3 gridDim, dim3 blockDim, void** args,
                                        std::size_t sharedMem, cudaStream_t stream) {
    return launch_kernel(
        gpu, func,
        {.grid = gridDim, .block = blockDim, .shared = static_cast<unsigned>(sharedMem), .cooperative = true}, stream,
        args);
}

cudaError_t cudaLaunchKernelExC(Gpu& gpu, const cudaLaunchConfig_t* config, const void* func, void** args) {
    if (!config) return refuse(cudaErrorInvalidValue, "config is null");
    LaunchConfiguration launch{
        .grid = config->gridDim, .block = config->blockDim, .shared = static_cast<unsigned>(config->dynamicSmemBytes)};
    std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes;
    std::vector<cudaEvent_t> events;
    dim3 preferred{0, 0, 0};
    if (config->numAttrs > 0 && !config->attrs) return refuse(cudaErrorInvalidValue, "attrs is null");
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute& attribute = config->attrs[i];
        attributes[attribute.id] = attribute.val;
        switch (attribute.id) {
            case cudaLaunchAttributeIgnore:
            case cudaLaunchAttributePriority:
            case cudaLaunchAttributeClusterSchedulingPolicyPreference:
            case cudaLaunchAttributeProgrammaticStreamSerialization:
            case cudaLaunchAttributeMemSyncDomainMap:
            case cudaLaunchAttributeMemSyncDomain:
            case cudaLaunchAttributeNvlinkUtilCentricScheduling:
                break;  // a matter of time, or of order that is kept anyway
            case cudaLaunchAttributePreferredSharedMemoryCarveout:
                if (attribute.val.sharedMemCarveout > cudaSharedmemCarveoutMaxShared)
                    return refuse(cudaErrorInvalidValue, "the carveout is from 0 to 100 percent, not {}",
                                  static_cast<int>(attribute.val.sharedMemCarveout));
                break;
            case cudaLaunchAttributePreferredClusterDimension: {
                const auto& cluster = attribute.val.preferredClusterDim;
                preferred = {cluster.x, cluster.y, cluster.z};
                break;
            }
            case cudaLaunchAttributeProgrammaticEvent:
                events.push_back(attribute.val.programmaticEvent.event);
                break;
            case cudaLaunchAttributeLaunchCompletionEvent:
                events.push_back(attribute.val.launchCompletionEvent.event);
                break;
            case cudaLaunchAttributeDeviceUpdatableKernelNode:
                return refuse(cudaErrorNotSupported, "kernels can't update graphs of the virtual GPU");
            case cudaLaunchAttributeAccessPolicyWindow:
                if (const cudaError_t status = check_window(gpu, attribute.val.accessPolicyWindow);
                    status != cudaSuccess)
                    return status;
                break;
            case cudaLaunchAttributeCooperative:
                launch.cooperative = attribute.val.cooperative != 0;
                break;
            case cudaLaunchAttributeClusterDimension:
                // All zero is as good as unset (recorded on an H200).
                if (const auto& cluster = attribute.val.clusterDim; cluster.x || cluster.y || cluster.z)
                    launch.cluster = {cluster.x, cluster.y, cluster.z};
                break;
            default:
                return refuse(cudaErrorInvalidValue, "launch attribute {} is not known",
                              static_cast<int>(attribute.id));
        }
    }
    for (const cudaEvent_t event : events)
        if (!gpu.event(event)) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t bad = check_preferred_cluster(launch, preferred); bad != cudaSuccess) return bad;
    cudaError_t status = launch_kernel(gpu, func, launch, config->stream, args, std::move(attributes));
    // They may happen as soon as all blocks have begun or triggered; here they do when all have ended.
    for (const cudaEvent_t event : events)
        if (status == cudaSuccess) status = cudaEventRecord(gpu, event, config->stream);
    return status;
}

}  // namespace cudash::virtual_gpu::runtime
