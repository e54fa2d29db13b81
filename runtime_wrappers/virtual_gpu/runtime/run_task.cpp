// Tasks as they run, when their turn has come.
#include <tuple>

#include "runtime_wrappers/virtual_gpu/check/checks.h"
#include "runtime_wrappers/virtual_gpu/model/occupancy.h"
#include "runtime_wrappers/virtual_gpu/model/time.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph_memory.h"
#include "runtime_wrappers/virtual_gpu/runtime/launch_consequence.h"

namespace cudash::virtual_gpu::runtime {
namespace {

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
    Runner(Gpu& gpu, int device, const std::string& origin) : gpu_(gpu), device_(device), origin_(origin) {}

    Usage operator()(const EmptyTask&) const { return {}; }
    Usage operator()(const KernelTask& task) const;
    Usage operator()(const CopyTask& task) const { return checked(task, "copy", run_copy); }
    Usage operator()(const FillTask& task) const { return checked(task, "fill", run_fill); }
    Usage operator()(const HostTask& task) const {
        gpu_.run_callback([&] { task.function(task.argument); });
        return {.duration = host_function_time};
    }
    Usage operator()(const CallbackTask& task) const {
        // "In the event of a device error, all subsequently executed callbacks will receive an appropriate
        // cudaError_t."
        gpu_.run_callback([&, status = gpu_.sticky()] { task.function(task.stream, status, task.argument); });
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
        if (!gpu_.release(reinterpret_cast<Address>(task.pointer)))
            fail(cudaErrorInvalidValue, fmt::format("{} was freed before its turn to be freed came", task.pointer));
        return {.duration = allocation_time};
    }
    Usage operator()(const ChildTask&) const { return {}; }

private:
    static constexpr double host_function_time = 5000, record_time = 500, allocation_time = 500;  // nanoseconds

    /// What it was that failed, when no call is there to say it.
    void fail(cudaError_t error, std::string message) const {
        Diagnostic diagnostic = cudash::error("stream-operation-failed", std::move(message),
                                              "wait for the work in streams before its memory is freed");
        diagnostic.where.file = gpu_.origin();
        add_origin(diagnostic);
        if (gpu_.active.events.diagnostic) gpu_.active.events.diagnostic(diagnostic);
        gpu_.note_failure(error, true);
    }
    /// A node of a graph runs in another cell than that where it was added.
    void add_origin(Diagnostic& diagnostic) const {
        if (origin_.empty() || origin_ == gpu_.origin()) return;
        diagnostic.notes.push_back({.message = fmt::format("asked for in {}", origin_), .where = {}});
    }
    /// Memory that was there when the operation was asked for can be gone when its turn comes.
    template <class T>
    Usage checked(const T& task, const char* what, std::optional<Usage> (*run)(Gpu&, const T&)) const {
        api::Explanation& explanation = api::thread_state().explanation;
        const api::Explanation before = std::exchange(explanation, {});
        const std::optional<Usage> usage = run(gpu_, task);
        const api::Explanation found = std::exchange(explanation, before);
        if (!usage)
            fail(cudaErrorInvalidValue, fmt::format("a {} in a stream could not be made: {}", what, found.cause));
        return usage.value_or(Usage{});
    }

    Gpu& gpu_;
    int device_;
    const std::string& origin_;
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
    gpu_.checks->gather_uses(gpu_.uses != nullptr);
    const LaunchRequest request{
        .module = task.module,
        .kernel = task.info->name,
        .grid = {task.grid.x, task.grid.y, task.grid.z},
        .block = {task.block.x, task.block.y, task.block.z},
        .dynamic_shared = task.shared,
        .parameters = task.parameters,
        .cooperative = task.cooperative,
        .images = &gpu_.images.objects,
        .observer = gpu_.checks->wants_launch(gpu_.uses != nullptr) ? gpu_.checks.get() : nullptr};
    const LaunchOutcome outcome = gpu_.executor->run(request, gpu_.profile, limits, output);
    if (!request.observer) gpu_.checks->launch_unseen();
    if (gpu_.uses) *gpu_.uses = gpu_.checks->take_uses();
    for (const Diagnostic& finding : outcome.findings) tell_finding(gpu_, finding, origin_);
    for (Diagnostic diagnostic : outcome.diagnostics) {
        add_origin(diagnostic);
        if (events.diagnostic) events.diagnostic(diagnostic);
    }

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

void tell_finding(Gpu& gpu, Diagnostic finding, const std::string& origin) {
    // A launch in a loop makes the same mistake each time: it is told once for each place in the program.
    const std::string key = fmt::format("{} {}:{} {} {}", finding.code, finding.where.file, finding.where.line, origin,
                                        finding.where.line == 0 ? finding.message : "");
    if (!gpu.told_findings.insert(key).second) return;
    if (finding.where.file.empty()) finding.where.file = origin;
    if (!origin.empty() && origin != gpu.origin())
        finding.notes.push_back({.message = fmt::format("asked for in {}", origin), .where = {}});
    if (gpu.active.events.diagnostic) gpu.active.events.diagnostic(finding);
}

Usage run_task(Gpu& gpu, const Task& task, int device, const std::string& origin) {
    return std::visit(Runner(gpu, device, origin), task);
}

}  // namespace cudash::virtual_gpu::runtime
