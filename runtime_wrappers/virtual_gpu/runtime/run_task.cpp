// Tasks as they run, when their turn has come.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <tuple>

#include "runtime_wrappers/api/error_names.h"
#include "runtime_wrappers/host_check/memory.h"
#include "runtime_wrappers/virtual_gpu/check/checks.h"
#include "runtime_wrappers/virtual_gpu/debug/debugger.h"
#include "runtime_wrappers/virtual_gpu/isa/kernel_name.h"
#include "runtime_wrappers/virtual_gpu/model/occupancy.h"
#include "runtime_wrappers/virtual_gpu/model/time.h"
#include "runtime_wrappers/virtual_gpu/profile/observers.h"
#include "runtime_wrappers/virtual_gpu/profile/profiler.h"
#include "runtime_wrappers/virtual_gpu/runtime/device_runtime.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph_memory.h"
#include "runtime_wrappers/virtual_gpu/runtime/host_hazards.h"
#include "runtime_wrappers/virtual_gpu/runtime/launch_consequence.h"
#include "runtime_wrappers/virtual_gpu/runtime/library_work.h"

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

/// Nanoseconds of a launch of which nothing is known but its instructions.
double counted_time(const Gpu& gpu, const KernelTask& task, const LaunchOutcome& outcome) {
    KernelWork work;
    work.blocks = std::uint64_t{task.grid.x} * task.grid.y * task.grid.z;
    work.warp_instructions = outcome.warp_instructions;
    return kernel_time(gpu.profile, work);
}

/// What is done again does not take the same time to the nanosecond: an H200's launches differ by some 0.2 us and some
/// 0.5 % (standard deviations of 60). The first time is the modelled one, and the others are the same in every run.
double varied(Gpu& gpu, std::uint64_t what, double nanoseconds) {
    const std::uint64_t repeat = gpu.launches.count_repeat(what);
    if (repeat == 0 || nanoseconds <= 0) return nanoseconds;
    const auto mixed = [&](std::uint64_t salt) {
        std::uint64_t x = repeat * 0x9E3779B97F4A7C15ull + salt;
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
        x = (x ^ x >> 27) * 0x94D049BB133111EBull;
        return static_cast<double>((x ^ x >> 31) >> 11) / 0x1p52 - 1;  // from -1 to 1
    };
    return nanoseconds + std::min(350.0, nanoseconds / 10) * mixed(1) + nanoseconds * 0.008 * mixed(2);
}

/// All that the counts of a launch follow from, where no data is; empty: data may be.
std::string counts_key(const LaunchRequest& request, const LaunchContext& context) {
    const Program* program = request.module ? request.module->program(request.kernel) : nullptr;
    std::string key;
    if (!program || program->counts_follow_data || program->has_other_effects || program->polls) return key;
    const auto add = [&](std::uint64_t number) { key.append(reinterpret_cast<const char*>(&number), sizeof number); };
    for (const Dim3& size : {request.grid, request.block, request.cluster})
        for (const auto each : {size.x, size.y, size.z}) add(each);
    for (const std::uint64_t each :
         {program->serial, std::uint64_t{request.dynamic_shared}, std::uint64_t{request.cooperative},
          std::uint64_t{request.has_clusters}, static_cast<std::uint64_t>(request.device),
          std::uint64_t{request.is_child}, std::uint64_t{context.registers}, std::uint64_t{context.registers_known},
          context.set_aside, static_cast<std::uint64_t>(context.chosen.caching),
          static_cast<std::uint64_t>(context.chosen.bank_size)})
        add(each);
    key.append(reinterpret_cast<const char*>(request.parameters.data()), request.parameters.size());
    return key;
}

class Runner {
public:
    Runner(Gpu& gpu, const Task& whole, int device, const SourceSpot& origin)
        : gpu_(gpu), whole_(whole), device_(device), origin_(origin) {}

    Usage operator()(const EmptyTask&) const { return {}; }
    /// The grid, and all that its device code asks for.
    Usage operator()(const KernelTask& task) const;
    Usage operator()(const CopyTask& task) const { return checked(task, "copy", run_copy); }
    Usage operator()(const FillTask& task) const { return checked(task, "fill", run_fill); }
    Usage operator()(const HostTask& task) const {
        gpu_.scheduler.run_callback([&] { task.function(task.argument); });
        return {.duration = host_function_time};
    }
    Usage operator()(const CallbackTask& task) const {
        // "In the event of a device error, all subsequently executed callbacks will receive an appropriate
        // cudaError_t."
        gpu_.scheduler.run_callback(
            [&, status = gpu_.context.sticky()] { task.function(task.stream, status, task.argument); });
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
        if (!gpu_.memory.release(reinterpret_cast<Address>(task.pointer)))
            fail(cudaErrorInvalidValue, fmt::format("{} was freed before its turn to be freed came", task.pointer));
        return {.duration = allocation_time};
    }
    Usage operator()(const ChildTask&) const { return {}; }
    /// What its bodies do are operations of their own (run_conditional()).
    Usage operator()(const ConditionalTask&) const { return {}; }
    Usage operator()(const ConditionsTask& task) const {
        for (const auto& [handle, value] : task.values) gpu_.graphs->condition_values[handle] = value;
        return {};
    }
    Usage operator()(const LibraryTask& task) const {
        api::Explanation& explanation = api::thread_state().explanation;
        const api::Explanation before = std::exchange(explanation, {});
        const std::optional<Usage> usage = run_library(gpu_, task);
        const api::Explanation found = std::exchange(explanation, before);
        // Memory that is missing has a hint of its own; else the numbers in it were wrong.
        if (!usage && found.hint.empty())
            fail(cudaErrorIllegalAddress, fmt::format("{} could not run: {}", task.function, found.cause),
                 "correct the array: a real GPU would access memory outside of the matrix");
        else if (!usage)
            fail(cudaErrorIllegalAddress, fmt::format("{} could not run: {}", task.function, found.cause));
        return usage.value_or(Usage{});
    }

private:
    static constexpr double host_function_time = 5000, record_time = 500, allocation_time = 500;  // nanoseconds

    /// What it was that failed, when no call is there to say it.
    void fail(cudaError_t error, std::string message,
              std::string hint = "wait for the work in streams before its memory is freed") const {
        Diagnostic diagnostic = cudash::error("stream-operation-failed", std::move(message), std::move(hint));
        diagnostic.where = gpu_.place();
        if (origin_.file == diagnostic.where.file) diagnostic.where = origin_;
        add_origin(diagnostic);
        if (gpu_.active.events.diagnostic) gpu_.active.events.diagnostic(diagnostic);
        gpu_.context.note_failure(error, true);
    }
    /// A node of a graph runs in another cell than that where it was added.
    void add_origin(Diagnostic& diagnostic) const {
        if (origin_.file.empty() || origin_.file == gpu_.place().file) return;
        diagnostic.notes.push_back({.message = "asked for in " + host_check::words_of(origin_), .where = {}});
    }
    struct Ran {
        Usage usage;
        std::vector<ChildWork> asked{};  ///< by its device code
        bool cancelled = false;
    };
    using Clock = std::chrono::steady_clock;
    /// `begun`: when the first grid of those that belong together was; nothing: this is it. `room`: operations that
    /// device code may ask for.
    Ran run_grid(const KernelTask& task, std::optional<Clock::time_point> begun, std::uint64_t room) const;
    void tell(const LaunchOutcome& outcome) const;
    bool wants_time() const;
    /// What the collector keeps a launch's counts by; empty: it doesn't.
    std::string time_key(const KernelTask& task, const LaunchRequest& request) const;
    /// A launch that need not run. `earlier`: the grid_id of the one that it repeats; 0: there is none, or somebody
    /// looks.
    std::optional<Ran> repeated(const KernelTask& task, const LaunchRequest& request, const ExecutorLimits& limits,
                                std::uint64_t& earlier) const;
    /// What a launch came to, with the time that it took on the modelled clock.
    Ran ended(const KernelTask& task, LaunchOutcome outcome, double nanoseconds) const;
    double waiting_time(const KernelTask& task, std::uint64_t blocks, std::uint64_t cycles) const;
    LaunchContext context_of(const KernelTask& task) const;
    void set_condition(const ChildCondition& condition) const;
    /// Memory that was there when the operation was asked for can be gone when its turn comes.
    template <class T>
    Usage checked(const T& task, const char* what, std::optional<Usage> (*run)(Gpu&, const T&)) const {
        api::Explanation& explanation = api::thread_state().explanation;
        const api::Explanation before = std::exchange(explanation, {});
        const std::optional<Usage> usage = run(gpu_, task);
        const api::Explanation found = std::exchange(explanation, before);
        if (!usage)
            fail(cudaErrorInvalidValue, fmt::format("a {} in a stream could not be made: {}", what, found.cause));
        Usage taken = usage.value_or(Usage{});
        taken.duration = varied(gpu_, static_cast<std::uint64_t>(taken.duration), taken.duration);
        return taken;
    }

    Gpu& gpu_;
    const Task& whole_;
    int device_;
    const SourceSpot& origin_;
};

/// Of a kernel whose threads wait for a clock: as long as the clock says, and again for the blocks that have no room.
double Runner::waiting_time(const KernelTask& task, std::uint64_t blocks, std::uint64_t cycles) const {
    constexpr double launch = 1500;
    const double filled = share_of(gpu_.profile, task, blocks);
    const unsigned threads = task.block.x * task.block.y * task.block.z;
    const Occupancy resident = occupancy(
        gpu_.profile, {.threads = threads, .static_shared = task.info->static_shared, .dynamic_shared = task.shared});
    const double room = static_cast<double>(gpu_.profile.multiprocessors) * std::max(1u, resident.blocks);
    const double turns = filled < 1 ? 1 : std::ceil(static_cast<double>(blocks) / room);
    return launch + turns * static_cast<double>(gpu_.profile.nanoseconds(cycles));
}

/// Whether somebody sees the kernel's modelled time or its counts.
bool Runner::wants_time() const {
    return gpu_.profiler->on || gpu_.active.trace_launches || gpu_.scheduler.timeline.timed_events > 0;
}

std::optional<Runner::Ran> Runner::repeated(const KernelTask& task, const LaunchRequest& request,
                                            const ExecutorLimits& limits, std::uint64_t& earlier) const {
    if (!gpu_.launches.skips_repeats || gpu_.profiler->on || gpu_.launches.observing || !gpu_.checks->watched.empty())
        return std::nullopt;
    RepeatedLaunches::Known known;
    std::optional<LaunchOutcome> outcome =
        gpu_.executor->repeat(request, gpu_.profile, limits, [&](const LaunchOutcome& before) {
            earlier = before.grid_id;
            known = gpu_.launches.repeated.find(earlier);
            if (!wants_time()) known.nanoseconds = counted_time(gpu_, task, before);
            return known.nanoseconds && (!gpu_.scheduler.uses || known.uses);
        });
    if (!outcome) return std::nullopt;
    if (gpu_.scheduler.uses) *gpu_.scheduler.uses = std::move(*known.uses);
    for (const UsedMemory& each : outcome->used)
        if (const auto allocation = gpu_.memory.space->find(each.begin))
            gpu_.checks->memory_written(each.begin, allocation->size);
    gpu_.hazards->kernel_ends(whole_);
    return ended(task, std::move(*outcome), *known.nanoseconds);
}

Runner::Ran Runner::ended(const KernelTask& task, LaunchOutcome outcome, double nanoseconds) const {
    const std::uint64_t blocks = std::uint64_t{task.grid.x} * task.grid.y * task.grid.z;
    if (outcome.spun_cycles != 0) nanoseconds = std::max(nanoseconds, waiting_time(task, blocks, outcome.spun_cycles));
    if (gpu_.active.trace_launches && gpu_.active.events.launched)
        gpu_.active.events.launched({.kernel = task.display,
                                     .grid = {task.grid.x, task.grid.y, task.grid.z},
                                     .block = {task.block.x, task.block.y, task.block.z},
                                     .shared = task.shared,
                                     .nanoseconds = nanoseconds,
                                     .findings = outcome.findings.size() + outcome.diagnostics.size(),
                                     .failed = consequence_of(outcome.status).error != cudaSuccess});
    const std::uint64_t what = std::hash<const void*>()(task.function) ^ blocks << 32 ^ task.block.x << 16;
    const Usage usage{varied(gpu_, what, nanoseconds), Engine::kernels, share_of(gpu_.profile, task, blocks)};
    return {usage, std::move(outcome.child_work), outcome.status == LaunchStatus::cancelled};
}

LaunchContext Runner::context_of(const KernelTask& task) const {
    const Device& device = gpu_.devices[static_cast<std::size_t>(device_)];
    LaunchContext context;
    context.device = device_;
    cudaError_t status = cudaSuccess;
    if (const Kernel* kernel = gpu_.modules(device_).kernel(task.function, status)) {
        const std::optional<unsigned> counted = gpu_.modules(device_).registers(*kernel);
        context.registers = counted.value_or(0);
        context.registers_known = counted.has_value();
    }
    context.chosen.bank_size = device.bank_size;
    context.set_aside = device.limits[cudaLimitPersistingL2CacheSize];
    const cudaAccessPolicyWindow& window = task.effective_window();
    const auto property = [](cudaAccessProperty given) {
        if (given == cudaAccessPropertyPersisting) return AccessProperty::persisting;
        return given == cudaAccessPropertyStreaming ? AccessProperty::streaming : AccessProperty::normal;
    };
    context.window = {reinterpret_cast<std::uintptr_t>(window.base_ptr), window.num_bytes, window.hitRatio,
                      property(window.hitProp), property(window.missProp)};
    return context;
}

std::string Runner::time_key(const KernelTask& task, const LaunchRequest& request) const {
    const LaunchContext context = context_of(task);
    gpu_.profiler->observer().set_context(context);
    gpu_.profiler->observer().set_time_only(!gpu_.profiler->on);
    return gpu_.profiler->on || !gpu_.launches.skips_repeats ? std::string() : counts_key(request, context);
}

/// The kernel that a launch in device code names, in the module of the kernel that launches it.
KernelTask child_of(const KernelTask& parent, ChildLaunch launch) {
    KernelTask child;
    child.module = parent.module;
    child.info = parent.module->kernel(launch.kernel);
    child.display = readable_kernel(launch.kernel);
    child.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
    child.block = {launch.block.x, launch.block.y, launch.block.z};
    child.shared = launch.dynamic_shared;
    child.parameters = std::move(launch.parameters);
    child.stream_window = parent.stream_window;
    return child;
}

void Runner::set_condition(const ChildCondition& condition) const {
    const auto known = gpu_.graphs->condition_values.find(condition.handle);
    if (known != gpu_.graphs->condition_values.end())
        known->second = condition.value;
    else
        fail(cudaErrorInvalidValue,
             fmt::format("cudaGraphSetConditional: {:#x} is not a handle of a conditional node", condition.handle),
             "pass the handle that cudaGraphConditionalHandleCreate gave");
}

Rows bytes_at(Address address, std::uint64_t bytes) {
    return {.pointer = reinterpret_cast<const void*>(address), .pitch = bytes, .slice = bytes};
}

Usage Runner::operator()(const KernelTask& task) const {
    constexpr std::uint64_t most_waiting = 1 << 18;
    std::vector<ChildWork> waiting;  // the next one is the last
    const auto wait_for = [&](std::vector<ChildWork> asked) {
        std::ranges::stable_partition(asked, [](const ChildWork& each) { return !each.tail; });
        std::move(asked.rbegin(), asked.rend(), std::back_inserter(waiting));
    };
    const Clock::time_point begun = Clock::now();
    Ran first = run_grid(task, std::nullopt, most_waiting);
    wait_for(std::move(first.asked));
    Usage usage = first.usage;
    while (!waiting.empty() && gpu_.context.sticky() == cudaSuccess && !gpu_.scheduler.abandons()) {
        const ChildWork next = std::move(waiting.back());
        waiting.pop_back();
        if (const auto* launch = std::get_if<ChildLaunch>(&next.what)) {
            Ran ran = run_grid(child_of(task, *launch), begun, most_waiting - std::min(most_waiting, waiting.size()));
            usage.duration += ran.usage.duration;
            if (ran.cancelled) break;
            wait_for(std::move(ran.asked));
        } else if (const auto* copy = std::get_if<ChildCopy>(&next.what)) {
            const CopyTask made{.dst = bytes_at(copy->to, copy->bytes),
                                .src = bytes_at(copy->from, copy->bytes),
                                .box = {.width = copy->bytes},
                                .kind = cudaMemcpyDefault};
            if (copy->bytes != 0) usage.duration += checked(made, "copy", run_copy).duration;
        } else if (const auto* fill = std::get_if<ChildFill>(&next.what)) {
            const FillTask made{
                .dst = bytes_at(fill->to, fill->bytes), .box = {.width = fill->bytes}, .value = fill->value};
            if (fill->bytes != 0) usage.duration += checked(made, "fill", run_fill).duration;
        } else if (const auto* condition = std::get_if<ChildCondition>(&next.what)) {
            set_condition(*condition);
        }
    }
    return usage;
}

ExecutorLimits limits_of(const Device& device) {
    ExecutorLimits limits;
    limits.stack_per_thread = device.limits[cudaLimitStackSize];
    limits.printf_fifo = device.limits[cudaLimitPrintfFifoSize];
    limits.malloc_heap = device.limits[cudaLimitMallocHeapSize];
    return limits;
}

/// What the launch tells while it runs.
DeviceOutput output_of(Gpu& gpu, const KernelTask& task, const SourceSpot& origin) {
    const api::Events& events = gpu.active.events;
    DeviceOutput output;
    output.print = events.print;
    // A session's cells need not wait for what they launch.
    if (gpu.scheduler.settles() && !gpu.active.report_errors)
        output.print = gpu.launches.unwaited.noticed(output.print, task.display, origin, task.number);
    output.print_error = events.print_error;
    if (events.progress)
        output.progress = [&](std::uint64_t done, std::uint64_t all) { events.progress(task.display, done, all); };
    if (KernelThread* thread = gpu.scheduler.waiting_thread())
        output.waits = [thread](bool moved) { return thread->wait(moved); };
    return output;
}

/// Tells what was found, and what it means for the context.
void Runner::tell(const LaunchOutcome& outcome) const {
    const api::Events& events = gpu_.active.events;
    for (const Diagnostic& finding : outcome.findings) tell_finding(gpu_, finding, origin_);
    const Consequence consequence = consequence_of(outcome.status);
    for (Diagnostic diagnostic : outcome.diagnostics) {
        add_origin(diagnostic);
        // The shell gives its session the context back; a program must live with it.
        if (consequence.loses_context && !gpu_.active.report_errors)
            diagnostic.notes.push_back(
                {fmt::format("every call of the runtime returns {} ({}) from here on",
                             api::error_name(consequence.error), static_cast<int>(consequence.error)),
                 {}});
        if (events.diagnostic) events.diagnostic(diagnostic);
    }

    gpu_.launches.told_of = 0;
    const bool told = !outcome.diagnostics.empty();
    if (consequence.loses_context)
        gpu_.scheduler.lose_context(consequence.error, told);
    else if (consequence.error != cudaSuccess)
        gpu_.context.note_failure(consequence.error, told);
    if (outcome.status == LaunchStatus::unsupported) gpu_.context.note_refused_code();
    if (outcome.status == LaunchStatus::cancelled) gpu_.scheduler.timeline.drop_all();
}

Runner::Ran Runner::run_grid(const KernelTask& task, std::optional<Clock::time_point> begun, std::uint64_t room) const {
    Device& device = gpu_.devices[static_cast<std::size_t>(device_)];
    device.heap_used |= task.info->uses_heap;
    ExecutorLimits limits = limits_of(device);
    // A node of a graph is launched again and again: each launch has a debugger of its own.
    std::shared_ptr<Debugger> debugger = task.debugger;
    if (debugger && (debugger->has_begun() || !gpu_.launches.debugger))
        debugger = gpu_.launches.debugger ? gpu_.launches.debugger(task.display, true) : nullptr;
    // Who debugs it takes as long as they like.
    if (!debugger) limits.timeout = gpu_.kernel_timeout;
    if (begun) limits.spent = Clock::now() - *begun;
    const DeviceOutput output = output_of(gpu_, task, origin_);
    // Observers look at one launch at a time: what runs while another one waits is not looked at.
    const bool seen = !gpu_.launches.observing && !debugger;
    if (seen) gpu_.checks->gather_uses(gpu_.scheduler.uses != nullptr);
    const bool checked = seen && gpu_.checks->wants_launch(gpu_.scheduler.uses != nullptr),
               profiled = seen && wants_time();
    Collector& collector = gpu_.profiler->observer();
    Observers both({gpu_.checks.get(), &collector});
    Observer* observer = checked ? gpu_.checks.get() : nullptr;
    if (debugger) {
        observer = debugger.get();
        if (debugger->seeks_finding()) debugger->check_with(*gpu_.checks);
        gpu_.checks->watch_findings(debugger.get());
    }
    const DeviceRuntimeAnswers answers(gpu_, *task.module, device_);
    LaunchRequest request{
        .module = task.module,
        .kernel = task.info->name,
        .grid = {task.grid.x, task.grid.y, task.grid.z},
        .block = {task.block.x, task.block.y, task.block.z},
        .dynamic_shared = task.shared,
        .parameters = task.parameters,
        .cooperative = task.cooperative,
        .device = device_,
        .reach = gpu_.reach_of(device_),
        .cluster = task.cluster.x == 0 ? Dim3{} : Dim3{task.cluster.x, task.cluster.y, task.cluster.z},
        .has_clusters = task.cluster.x != 0,
        .images = &gpu_.images.objects,
        .observer = observer,
        .looked_for = checked ? gpu_.checks->selection().key() : 0,
        .device_runtime = &answers,
        .is_child = begun.has_value(),
        .stops = debugger.get(),
        .child_work_room = room};
    const std::string counts = profiled ? time_key(task, request) : std::string();
    const bool counted = collector.knows(counts);
    if (profiled && !counted) observer = request.observer = checked ? static_cast<Observer*>(&both) : &collector;
    if (seen) gpu_.hazards->kernel_begins(whole_);
    std::uint64_t earlier = 0;
    if (std::optional<Ran> same = repeated(task, request, limits, earlier)) return std::move(*same);
    gpu_.launches.observing |= observer != nullptr;
    if (profiled && !counted) collector.keep_as(counts);
    LaunchOutcome outcome = gpu_.executor->run(request, gpu_.profile, limits, output);
    if (observer) gpu_.launches.observing = false;
    gpu_.checks->watch_findings(nullptr);
    if (gpu_.scheduler.abandons()) return {};
    if (seen) gpu_.hazards->kernel_ends(whole_);
    if (!checked) gpu_.checks->launch_unseen();
    std::optional<KernelTime> time;
    if (profiled) time = counted ? collector.time_again(counts) : gpu_.profiler->launch_ended();
    if (outcome.status != LaunchStatus::ok) collector.forget(counts);
    if (gpu_.scheduler.uses && seen) *gpu_.scheduler.uses = gpu_.checks->take_uses();
    gpu_.launches.told_of = task.number;
    tell(outcome);
    const double nanoseconds = time ? time->nanoseconds : counted_time(gpu_, task, outcome);
    if (earlier != 0) {
        RepeatedLaunches::Known known;
        if (time) known.nanoseconds = nanoseconds;
        if (gpu_.scheduler.uses && seen) known.uses = *gpu_.scheduler.uses;
        gpu_.launches.repeated.replace(earlier, outcome.grid_id, std::move(known));
    }
    return ended(task, std::move(outcome), nanoseconds);
}

}  // namespace

void tell_finding(Gpu& gpu, Diagnostic finding, const SourceSpot& origin) {
    // A launch in a loop makes the same mistake each time: it is told once for each place in the program.
    const std::string key = fmt::format("{} {}:{} {} {}", finding.code, finding.where.file, finding.where.line,
                                        origin.file, finding.where.line == 0 ? finding.message : "");
    if (!gpu.launches.told_findings.insert(key).second) return;
    const bool placed = !finding.where.file.empty();
    if (!placed) finding.where = origin;
    if (placed && !origin.file.empty() && origin.file != gpu.place().file)
        finding.notes.push_back({.message = "asked for in " + host_check::words_of(origin), .where = {}});
    if (gpu.active.events.diagnostic) gpu.active.events.diagnostic(finding);
}

Usage run_task(Gpu& gpu, const Task& task, int device, const SourceSpot& origin) {
    return std::visit(Runner(gpu, task, device, origin), task);
}

}  // namespace cudash::virtual_gpu::runtime
