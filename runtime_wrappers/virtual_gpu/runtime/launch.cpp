// Launches: the configuration is checked against the device and the kernel, the parameters are gathered, the grid runs.
#include <algorithm>
#include <array>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/kernel_limits.h"
#include "runtime_wrappers/virtual_gpu/runtime/stream_attribute.h"

namespace cudash::virtual_gpu::runtime {
namespace {

struct LaunchConfiguration {
    dim3 grid, block;
    unsigned shared = 0;  ///< the driver takes 32 bits (recorded on an H200)
    cudaStream_t stream = nullptr;
    bool cooperative = false;
    dim3 cluster{1, 1, 1};
};

/// What a launch's end means to the context.
struct Consequence {
    cudaError_t error;
    bool loses_context;
};
constexpr std::array<Consequence, 12> consequences = {
    Consequence{cudaSuccess, false},                  // ok
    Consequence{cudaErrorIllegalAddress, true},       // illegal_address
    Consequence{cudaErrorMisalignedAddress, true},    // misaligned_address
    Consequence{cudaErrorInvalidAddressSpace, true},  // invalid_address_space
    Consequence{cudaErrorInvalidPc, true},            // invalid_pc
    Consequence{cudaErrorIllegalInstruction, true},   // illegal_instruction
    Consequence{cudaErrorHardwareStackError, true},   // hardware_stack_error
    Consequence{cudaErrorLaunchFailure, true},        // launch_failure
    Consequence{cudaErrorAssert, true},               // assert_failed
    Consequence{cudaErrorLaunchTimeout, true},        // timeout
    Consequence{cudaErrorLaunchTimeout, true},        // deadlock
    Consequence{cudaErrorUnknown, false},             // cancelled
};
constexpr Consequence unsupported{cudaErrorNotSupported, false};

Consequence consequence_of(LaunchStatus status) {
    const auto index = static_cast<std::size_t>(status);
    return index < consequences.size() ? consequences[index] : unsupported;
}

std::string shape(const dim3& size) {
    return fmt::format("({}, {}, {})", size.x, size.y, size.z);
}

cudaError_t check_shape(Gpu& gpu, const Kernel& kernel, const LaunchConfiguration& launch) {
    const Profile& p = gpu.profile;
    const dim3 &grid = launch.grid, &block = launch.block;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0)
        return gpu.refuse_with_hint(
            cudaErrorInvalidValue, fmt::format("a dimension is zero: grid {}, block {}", shape(grid), shape(block)),
            "an integer division that rounds down gives no blocks for small sizes: use (n + block - 1) / block");
    if (block.x > p.max_block_x || block.y > p.max_block_y || block.z > p.max_block_z)
        return gpu.refuse(cudaErrorInvalidValue, "block {} exceeds maxThreadsDim ({}, {}, {})", shape(block),
                          p.max_block_x, p.max_block_y, p.max_block_z);
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    if (threads > p.max_threads_per_block)
        return gpu.refuse_with_hint(cudaErrorInvalidValue,
                                    fmt::format("block {} has {} threads, and a {} allows {}", shape(block), threads,
                                                p.full_name, p.max_threads_per_block),
                                    "use smaller blocks and more of them");
    if (grid.x > p.max_grid_x || grid.y > p.max_grid_y || grid.z > p.max_grid_z)
        return gpu.refuse(cudaErrorInvalidValue, "grid {} exceeds maxGridSize ({}, {}, {})", shape(grid), p.max_grid_x,
                          p.max_grid_y, p.max_grid_z);
    if (threads > kernel.max_threads)
        return gpu.refuse(cudaErrorInvalidValue, "block {} has {} threads, and the kernel's __launch_bounds__ allow {}",
                          shape(block), threads, kernel.max_threads);
    return cudaSuccess;
}

cudaError_t check_shared(Gpu& gpu, const Kernel& kernel, const LaunchConfiguration& launch) {
    const Profile& p = gpu.profile;
    const unsigned allowed = max_dynamic_shared(gpu, kernel);
    if (kernel.info->static_shared > p.shared_per_block)
        return gpu.refuse(cudaErrorInvalidValue,
                          "the kernel has {} bytes of static shared memory, and a {} allows {} per block",
                          kernel.info->static_shared, p.full_name, p.shared_per_block);
    if (launch.shared <= allowed) return cudaSuccess;
    const bool could =
        launch.shared <= p.shared_per_block_optin - std::min(p.shared_per_block_optin, kernel.info->static_shared);
    return gpu.refuse_with_hint(
        cudaErrorInvalidValue,
        fmt::format("{} bytes of dynamic shared memory were asked for, beside {} static ones; the kernel may have {}",
                    launch.shared, kernel.info->static_shared, allowed),
        could ? "call cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) first"
              : fmt::format("a block of this device has at most {} bytes", p.shared_per_block_optin));
}

cudaError_t check_registers(Gpu& gpu, const Kernel& kernel, const LaunchConfiguration& launch) {
    const unsigned threads = launch.block.x * launch.block.y * launch.block.z;
    // Compiling for a real device takes time: only where the PTX names enough registers to matter.
    if (std::uint64_t{kernel.register_bound} * threads <= gpu.profile.registers_per_block) return cudaSuccess;
    if (threads * 256 <= gpu.profile.registers_per_block) return cudaSuccess;
    const auto registers = gpu.modules->registers(kernel);
    if (!registers) return cudaSuccess;
    const unsigned taken = allocated_registers(gpu.profile, threads, *registers);
    if (taken <= gpu.profile.registers_per_block) return cudaSuccess;
    return gpu.refuse_with_hint(
        cudaErrorLaunchOutOfResources,
        fmt::format("{} threads of {} registers take {}, and a block has at most {}", threads, *registers, taken,
                    gpu.profile.registers_per_block),
        fmt::format("use fewer threads per block, or give the kernel __launch_bounds__({})", threads));
}

cudaError_t check_cooperative(Gpu& gpu, const Kernel& kernel, const LaunchConfiguration& launch) {
    if (!launch.cooperative) return cudaSuccess;
    if (!gpu.profile.cooperative_launch)
        return gpu.refuse(cudaErrorNotSupported, "a {} has no cooperative launches", gpu.profile.full_name);
    const unsigned threads = launch.block.x * launch.block.y * launch.block.z;
    const std::uint64_t resident =
        std::uint64_t{occupancy_of(gpu, kernel, threads, launch.shared).blocks} * gpu.profile.multiprocessors;
    const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    if (blocks <= resident) return cudaSuccess;
    return gpu.refuse_with_hint(cudaErrorCooperativeLaunchTooLarge,
                                fmt::format("the grid has {} blocks, and {} can be resident at once", blocks, resident),
                                "let each block do more: loop over the work in steps of the grid's size");
}

cudaError_t check_cluster(Gpu& gpu, const Kernel& kernel, const LaunchConfiguration& launch) {
    const dim3& cluster = launch.cluster;
    const std::uint64_t size = std::uint64_t{cluster.x} * cluster.y * cluster.z;
    if (size == 1) return cudaSuccess;
    constexpr unsigned portable = 8, most = 16;
    const bool divides =
        size != 0 && launch.grid.x % cluster.x == 0 && launch.grid.y % cluster.y == 0 && launch.grid.z % cluster.z == 0;
    if (!divides || size > (kernel.state->non_portable_cluster ? most : portable))
        return gpu.refuse(cudaErrorInvalidClusterSize, "clusters of {} do not fit a grid of {}", shape(cluster),
                          shape(launch.grid));
    return gpu.refuse(cudaErrorNotSupported, "thread block clusters are not implemented on the virtual GPU");
}

/// The parameter bytes as the kernel lays them out.
cudaError_t gather(Gpu& gpu, const Kernel& kernel, void** args, std::vector<std::byte>& bytes) {
    const KernelInfo& info = *kernel.info;
    bytes.assign(info.parameter_bytes, std::byte{0});
    if (info.parameters.empty()) return cudaSuccess;
    if (!args)
        return gpu.refuse(cudaErrorInvalidValue, "the kernel has {} parameters, and args is null",
                          info.parameters.size());
    for (std::size_t i = 0; i < info.parameters.size(); ++i) {
        const KernelInfo::Parameter& parameter = info.parameters[i];
        if (!args[i]) return gpu.refuse(cudaErrorInvalidValue, "args[{}] is null", i);
        std::memcpy(bytes.data() + parameter.offset, args[i], parameter.size);
    }
    return cudaSuccess;
}

cudaError_t run(Gpu& gpu, const Kernel& kernel, const LaunchConfiguration& launch,
                std::span<const std::byte> parameters, Stream& stream) {
    const api::Events& events = gpu.active.events;
    const Device& device = gpu.device();
    const std::string_view name = kernel.symbol->display.empty() ? kernel.info->name : kernel.symbol->display;
    ExecutorLimits limits;
    limits.stack_per_thread = device.limits[cudaLimitStackSize];
    limits.printf_fifo = device.limits[cudaLimitPrintfFifoSize];
    limits.malloc_heap = device.limits[cudaLimitMallocHeapSize];
    limits.timeout = gpu.kernel_timeout;
    DeviceOutput output;
    output.print = events.print;
    if (events.progress)
        output.progress = [&](std::uint64_t done, std::uint64_t all) { events.progress(name, done, all); };
    const LaunchRequest request{.module = gpu.modules->loaded(),
                                .kernel = kernel.info->name,
                                .grid = {launch.grid.x, launch.grid.y, launch.grid.z},
                                .block = {launch.block.x, launch.block.y, launch.block.z},
                                .dynamic_shared = launch.shared,
                                .parameters = parameters,
                                .cooperative = launch.cooperative,
                                .images = &gpu.images.objects};
    const LaunchOutcome outcome = gpu.executor->run(request, gpu.profile, limits, output);
    for (const Diagnostic& diagnostic : outcome.diagnostics)
        if (events.diagnostic) events.diagnostic(diagnostic);

    KernelWork work;
    work.blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    work.warp_instructions = outcome.warp_instructions;
    gpu.timeline.host_works(call_time);
    gpu.timeline.enqueue(stream, kernel_time(gpu.profile, work));

    const Consequence consequence = consequence_of(outcome.status);
    const bool told = !outcome.diagnostics.empty();
    // A launch is asynchronous: what goes wrong inside the kernel shows in a later call.
    if (consequence.loses_context) {
        gpu.lose_context(consequence.error, told);
        return cudaSuccess;
    }
    api::thread_state().explanation.told = told && consequence.error != cudaSuccess;
    return consequence.error;
}

cudaError_t launch_kernel(Gpu& gpu, const void* func, const LaunchConfiguration& launch, void** args) {
    cudaError_t status = cudaSuccess;
    const Kernel* kernel = gpu.modules->kernel(func, status);
    if (!kernel) return status;
    Stream* stream = gpu.stream(launch.stream);
    if (!stream) return cudaErrorInvalidResourceHandle;
    for (auto check : {check_shape, check_shared, check_registers, check_cluster, check_cooperative}) {
        status = check(gpu, *kernel, launch);
        if (status != cudaSuccess) return status;
    }
    thread_local std::vector<std::byte> parameters;
    status = gather(gpu, *kernel, args, parameters);
    if (status != cudaSuccess) return status;
    return run(gpu, *kernel, launch, parameters, *stream);
}

}  // namespace

cudaError_t cudaLaunchKernel(Gpu& gpu, const void* func, dim3 gridDim, dim3 blockDim, void** args,
                             std::size_t sharedMem, cudaStream_t stream) {
    return launch_kernel(
        gpu, func, {.grid = gridDim, .block = blockDim, .shared = static_cast<unsigned>(sharedMem), .stream = stream},
        args);
}

cudaError_t cudaLaunchCooperativeKernel(Gpu& gpu, const void* func, dim3 gridDim, dim3 blockDim, void** args,
                                        std::size_t sharedMem, cudaStream_t stream) {
    return launch_kernel(gpu, func,
                         {.grid = gridDim,
                          .block = blockDim,
                          .shared = static_cast<unsigned>(sharedMem),
                          .stream = stream,
                          .cooperative = true},
                         args);
}

cudaError_t cudaLaunchKernelExC(Gpu& gpu, const cudaLaunchConfig_t* config, const void* func, void** args) {
    if (!config) return gpu.refuse(cudaErrorInvalidValue, "config is null");
    LaunchConfiguration launch{.grid = config->gridDim,
                               .block = config->blockDim,
                               .shared = static_cast<unsigned>(config->dynamicSmemBytes),
                               .stream = config->stream};
    if (config->numAttrs > 0 && !config->attrs) return gpu.refuse(cudaErrorInvalidValue, "attrs is null");
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute& attribute = config->attrs[i];
        switch (attribute.id) {
            case cudaLaunchAttributeIgnore:
            case cudaLaunchAttributeSynchronizationPolicy:
            case cudaLaunchAttributePriority:
            case cudaLaunchAttributeClusterSchedulingPolicyPreference:
            case cudaLaunchAttributeProgrammaticStreamSerialization:
            case cudaLaunchAttributeMemSyncDomainMap:
            case cudaLaunchAttributeMemSyncDomain:
            case cudaLaunchAttributePreferredSharedMemoryCarveout:
                break;  // a matter of time, or of order that is kept anyway
            case cudaLaunchAttributeAccessPolicyWindow:
                if (const cudaError_t status = check_window(gpu, attribute.val.accessPolicyWindow);
                    status != cudaSuccess)
                    return status;
                break;
            case cudaLaunchAttributeCooperative:
                launch.cooperative = attribute.val.cooperative != 0;
                break;
            case cudaLaunchAttributeClusterDimension:
                launch.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
                break;
            default:
                return gpu.refuse(cudaErrorInvalidValue, "launch attribute {} is not known",
                                  static_cast<int>(attribute.id));
        }
    }
    return launch_kernel(gpu, func, launch, args);
}

}  // namespace cudash::virtual_gpu::runtime
