// Tasks as they run, when their turn has come.
#include <array>

#include "runtime_wrappers/virtual_gpu/model/occupancy.h"
#include "runtime_wrappers/virtual_gpu/model/time.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph_memory.h"

namespace cudash::virtual_gpu::runtime {
namespace {

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

/// The part of the device that the grid fills, registers aside.
double share_of(const Profile& profile, const KernelTask& task, std::uint64_t blocks) {
    const unsigned threads = task.block.x * task.block.y * task.block.z;
    const Occupancy resident = occupancy(
        profile, {.threads = threads, .static_shared = task.info->static_shared, .dynamic_shared = task.shared});
    const double room = static_cast<double>(profile.multiprocessors) * std::max(1u, resident.blocks);
    return std::min(1.0, static_cast<double>(blocks) / room);
}

class Runner {
public:
    Runner(Gpu& gpu, int device) : gpu_(gpu), device_(device) {}

    Usage operator()(const EmptyTask&) const { return {}; }
    Usage operator()(const KernelTask& task) const;
    Usage operator()(const CopyTask& task) const { return run_copy(gpu_, task); }
    Usage operator()(const FillTask& task) const { return run_fill(gpu_, task); }
    Usage operator()(const HostTask& task) const {
        gpu_.run_callback([&] { task.function(task.argument); });
        return {.duration = host_function_time};
    }
    Usage operator()(const CallbackTask& task) const {
        gpu_.run_callback([&] { task.function(task.stream, cudaSuccess, task.argument); });
        return {.duration = host_function_time};
    }
    Usage operator()(const RecordTask&) const { return {.duration = record_time}; }
    Usage operator()(const WaitTask&) const { return {}; }
    Usage operator()(const PrefetchTask& task) const {
        return {copy_time(gpu_.profile, Link::pinned, task.bytes), Engine::to_device};
    }
    Usage operator()(const AllocateTask& task) const {
        task.memory->begin_use();
        return {.duration = allocation_time};
    }
    Usage operator()(const FreeTask& task) const {
        if (!gpu_.release(reinterpret_cast<Address>(task.pointer))) gpu_.note_failure(cudaErrorInvalidValue, false);
        return {.duration = allocation_time};
    }
    Usage operator()(const ChildTask&) const { return {}; }

private:
    static constexpr double host_function_time = 5000, record_time = 500, allocation_time = 500;  // nanoseconds
    Gpu& gpu_;
    int device_;
};

Usage Runner::operator()(const KernelTask& task) const {
    const api::Events& events = gpu_.active.events;
    const Device& device = gpu_.devices[static_cast<std::size_t>(device_)];
    ExecutorLimits limits;
    limits.stack_per_thread = device.limits[cudaLimitStackSize];
    limits.printf_fifo = device.limits[cudaLimitPrintfFifoSize];
    limits.malloc_heap = device.limits[cudaLimitMallocHeapSize];
    limits.timeout = gpu_.kernel_timeout;
    DeviceOutput output;
    output.print = events.print;
    if (events.progress)
        output.progress = [&](std::uint64_t done, std::uint64_t all) { events.progress(task.display, done, all); };
    const LaunchRequest request{.module = task.module,
                                .kernel = task.info->name,
                                .grid = {task.grid.x, task.grid.y, task.grid.z},
                                .block = {task.block.x, task.block.y, task.block.z},
                                .dynamic_shared = task.shared,
                                .parameters = task.parameters,
                                .cooperative = task.cooperative,
                                .images = &gpu_.images.objects};
    const LaunchOutcome outcome = gpu_.executor->run(request, gpu_.profile, limits, output);
    for (const Diagnostic& diagnostic : outcome.diagnostics)
        if (events.diagnostic) events.diagnostic(diagnostic);

    const Consequence consequence = consequence_of(outcome.status);
    const bool told = !outcome.diagnostics.empty();
    if (consequence.loses_context)
        gpu_.lose_context(consequence.error, told);
    else if (consequence.error != cudaSuccess)
        gpu_.note_failure(consequence.error, told);
    if (outcome.status == LaunchStatus::cancelled) gpu_.timeline.drop_all();

    KernelWork work;
    work.blocks = std::uint64_t{task.grid.x} * task.grid.y * task.grid.z;
    work.warp_instructions = outcome.warp_instructions;
    return {kernel_time(gpu_.profile, work), Engine::kernels, share_of(gpu_.profile, task, work.blocks)};
}

}  // namespace

Usage run_task(Gpu& gpu, const Task& task, int device) {
    return std::visit(Runner(gpu, device), task);
}

}  // namespace cudash::virtual_gpu::runtime
