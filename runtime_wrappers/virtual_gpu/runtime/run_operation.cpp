// Operations as they run: what each does to device memory goes to the checker for races between streams, where others
// may be in no order with it.
#include "runtime_wrappers/virtual_gpu/check/checks.h"
#include "runtime_wrappers/virtual_gpu/check/stream_races.h"
#include "runtime_wrappers/virtual_gpu/profile/profiler.h"
#include "runtime_wrappers/virtual_gpu/runtime/conditional.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// Enough to be worth looking at which of them are over.
constexpr std::size_t many_works = 64;

template <class T>
bool is(const Task& task) {
    return std::holds_alternative<T>(task);
}

bool is_on_device(const Gpu& gpu, const Rows& rows) {
    if (rows.array) return true;
    const auto allocation = gpu.memory.space->find(reinterpret_cast<Address>(rows.pointer));
    return allocation && (allocation->kind == MemoryKind::device || allocation->kind == MemoryKind::variable);
}

std::string name_of(const Gpu& gpu, const Task& task) {
    if (const auto* kernel = std::get_if<KernelTask>(&task)) return fmt::format("kernel {}", kernel->display);
    if (is<FillTask>(task)) return "memset";
    if (const auto* library = std::get_if<LibraryTask>(&task)) return std::string(library->function);
    const auto* copy = std::get_if<CopyTask>(&task);
    const bool reads = copy && !copy->staged && is_on_device(gpu, copy->src);
    const bool writes = copy && is_on_device(gpu, copy->dst);
    return reads && writes ? "copy on the device" : writes ? "copy to the device" : "copy to the host";
}

/// For the timeline; empty: nothing that takes time on the device.
std::string shown_as(const Task& task) {
    if (const auto* kernel = std::get_if<KernelTask>(&task)) return kernel->display;
    if (is<CopyTask>(task)) return "copy";
    if (is<FillTask>(task)) return "memset";
    if (is<PrefetchTask>(task)) return "prefetch";
    if (const auto* library = std::get_if<LibraryTask>(&task)) return std::string(library->function);
    return is<HostTask>(task) || is<CallbackTask>(task) ? "host function" : "";
}

Usage run_and_compare(Gpu& gpu, const Task& task, const Operation& operation, const SourceSpot& origin) {
    Uses uses;
    gpu.scheduler.uses = &uses;
    const Usage usage = run_task(gpu, task, operation.device, origin);
    gpu.scheduler.uses = nullptr;
    uses.settle(*gpu.memory.space);
    DeviceWork work{.name = name_of(gpu, task),
                    .origin = origin,
                    .is_kernel = is<KernelTask>(task),
                    .device = operation.device,
                    .issued_in = operation.issued_in,
                    .moment = operation.moment,
                    .uses = std::move(uses)};
    if (gpu.stream_races->size() >= many_works)
        gpu.stream_races->forget([&](const Moment& moment) {
            return gpu.scheduler.timeline.order.host_knows(moment) && moment.before(operation.moment) &&
                   gpu.scheduler.timeline.all_waiting_follow(moment);
        });
    for (Diagnostic& finding : gpu.stream_races->add(*gpu.memory.space, std::move(work)))
        tell_finding(gpu, std::move(finding), origin);
    return usage;
}

}  // namespace

Usage run_operation(Gpu& gpu, const Task& task, const Operation& operation, const SourceSpot& origin) {
    // What a host function tells a waiting thread of the program is as good as a wait for its stream.
    if (is<HostTask>(task) || is<CallbackTask>(task)) gpu.scheduler.timeline.order.host_waited(operation.moment);
    gpu.profiler->running = gpu.profiler->on ? shown_as(task) : std::string();
    if (const auto* conditional = std::get_if<ConditionalTask>(&task))
        return run_conditional(gpu, *conditional, operation);
    const bool uses_memory = is<KernelTask>(task) || is<CopyTask>(task) || is<FillTask>(task) || is<LibraryTask>(task);
    if (uses_memory && operation.has_concurrent_work && gpu.checks->selection().has(Checker::stream_race))
        return run_and_compare(gpu, task, operation, origin);
    return run_task(gpu, task, operation.device, origin);
}

}  // namespace cudash::virtual_gpu::runtime
