#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/check/checks.h"
#include "runtime_wrappers/virtual_gpu/check/stream_races.h"
#include "runtime_wrappers/virtual_gpu/exec/tiers.h"
#include "runtime_wrappers/virtual_gpu/profile/profiler.h"
#include "runtime_wrappers/virtual_gpu/runtime/capture.h"
#include "runtime_wrappers/virtual_gpu/runtime/conditional.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph.h"
#include "runtime_wrappers/virtual_gpu/runtime/host_hazards.h"

namespace cudash::virtual_gpu::runtime {
namespace {

// Limits of a fresh context, recorded on an H200 (cudaDeviceGetLimit). The persisting share is 3/16 of the L2 cache.
constexpr std::size_t stack_size = 1024;
constexpr std::size_t printf_fifo_size = 8650752;
constexpr std::size_t malloc_heap_size = 8388608;
constexpr std::size_t pending_launch_count = 2048;
constexpr std::size_t l2_fetch_granularity = 64;

std::string name_of(const IssuedIn& issued_in) {
    const std::string graph = issued_in.graph_launch ? "graph, " : "";
    if (issued_in.kind == IssuedIn::Kind::per_thread) return graph + "per-thread";
    const bool created = issued_in.kind == IssuedIn::Kind::blocking || issued_in.kind == IssuedIn::Kind::non_blocking;
    return graph + (created ? fmt::format("stream {}", issued_in.number) : "stream 0");
}

}  // namespace

Result<std::unique_ptr<Gpu>> Gpu::create(const Profile& profile, int count, const api::Active& active,
                                         std::chrono::milliseconds kernel_timeout, MakeCodeGenerator compiler) {
    auto space = AddressSpace::create(profile.global_memory * static_cast<std::uint64_t>(count));
    if (!space)
        return error("virtual-gpu-memory",
                     fmt::format("cannot reserve addresses for {} virtual {}", count, profile.name),
                     "raise the limit on address space (ulimit -v), or choose a profile with less memory");
    std::unique_ptr<Gpu> gpu(new Gpu(profile, count, active, std::move(space), compiler));
    gpu->kernel_timeout = kernel_timeout;
    return gpu;
}

Gpu::Gpu(const Profile& profile, int count, const api::Active& active, std::unique_ptr<AddressSpace> space,
         MakeCodeGenerator compiler)
    : profile(profile),
      active(active),
      memory(profile, count, active, context, images, std::move(space)),
      executor(Executor::create(*memory.space, compiler, tier_policy())),
      checks(std::make_unique<Checks>(*memory.space)),
      hazards(std::make_unique<HostHazards>(*this)),
      stream_races(std::make_unique<StreamRaces>()),
      profiler(std::make_unique<Profiler>()),
      devices(static_cast<std::size_t>(count)),
      graphs(std::make_unique<Graphs>()),
      scheduler(profile, count, active, context, memory, *profiler, hooks()) {
    scheduler.timeline.completed = [profiler = profiler.get()](const Operation& operation, const Usage& usage) {
        if (profiler->running.empty()) return;
        std::string what = std::exchange(profiler->running, {});
        if (what == "copy" && usage.engine == Engine::to_device) what = "copy to the device";
        if (what == "copy" && usage.engine == Engine::to_host) what = "copy to the host";
        profiler->add_work(
            {name_of(operation.issued_in), std::move(what), operation.end - usage.duration, operation.end});
    };
    for (Device& device : devices) initialise(device);
    for (int i = 0; i < count; ++i) modules_of.push_back(std::make_unique<Modules>(*this, i));
}

SchedulerHooks Gpu::hooks() {
    return {.run = [this](const Task& task, Operation& operation,
                          const SourceSpot& origin) { return run_operation(*this, task, operation, origin); },
            .issued =
                [this](const OperationPtr& operation, const Task& task, const SourceSpot& origin) {
                    hazards->issued(operation, task, origin);
                    if (const auto* kernel = std::get_if<KernelTask>(&task))
                        persisting_l2.launched(*this, operation, kernel->effective_window());
                },
            .begins = [this](Cause cause) { return hazards->work_begins(cause); },
            .stop_kernel = [this] { executor->cancel(); }};
}

Gpu::~Gpu() {
    scheduler.stop_progress();
    hazards->forget();
    scheduler.drop_everything();
    graphs->clear();
}

void Gpu::initialise(Device& device) {
    device.limits[cudaLimitStackSize] = stack_size;
    device.limits[cudaLimitPrintfFifoSize] = printf_fifo_size;
    device.limits[cudaLimitMallocHeapSize] = malloc_heap_size;
    device.limits[cudaLimitDevRuntimePendingLaunchCount] = pending_launch_count;
    device.limits[cudaLimitMaxL2FetchGranularity] = l2_fetch_granularity;
    device.limits[cudaLimitPersistingL2CacheSize] = profile.persisting_l2_max / 10 * 3;
}

cudaError_t Gpu::admit(api::Support support) {
    const bool in_callback = api::thread_state().in_callback;
    switch (support) {
        case api::Support::ANYWHERE:
        case api::Support::PURE:
            return cudaSuccess;
        case api::Support::ALWAYS:
        case api::Support::NONE:
            return in_callback ? cudaErrorNotPermitted : cudaSuccess;
        case api::Support::LATE:
            context.begin();
            return context.dead() && !in_callback ? cudaErrorDevicesUnavailable : cudaSuccess;
        case api::Support::VIRTUAL:
            context.begin();
            device().flags |= cudaDeviceMapHost;
            return context.status();
    }
    return cudaSuccess;
}

Stream* Gpu::stream(cudaStream_t handle) {
    if (handle == nullptr || handle == cudaStreamLegacy) return &scheduler.timeline.legacy(current());
    if (handle == cudaStreamPerThread) return &scheduler.timeline.per_thread(current(), api::thread_state().number);
    Stream* found = scheduler.timeline.streams.find(handle);
    if (!found) refuse(cudaErrorInvalidResourceHandle, "the stream was destroyed, or never created");
    return found;
}

Event* Gpu::event(cudaEvent_t handle) {
    Event* found = scheduler.timeline.events.find(handle);
    if (found) return found;
    if (handle)
        refuse(cudaErrorInvalidResourceHandle, "{} is not an event, or was destroyed", fmt::ptr(handle));
    else
        refuse(cudaErrorInvalidResourceHandle, "the event is null: it was never created");
    return nullptr;
}

cudaError_t Gpu::submit(Stream& stream, Task task, OperationPtr* issued) {
    if (stream.capture) return record_task(*this, stream, std::move(task));
    if (stream.legacy)
        if (const cudaError_t bad = refuse_implicit_dependency(*this, stream.device); bad != cudaSuccess) return bad;
    OperationPtr operation = scheduler.issue(stream, std::make_shared<const Task>(std::move(task)));
    if (issued) *issued = std::move(operation);
    return cudaSuccess;
}

void Gpu::call_ends() {
    hazards->call_ends();
}

// Recorded on an H200: graphs, pools with their memory, and functions' attributes survive; streams, events, other
// memory and variables do not; nor does other devices' access to the device.
void Gpu::reset() {
    const int index = current();
    scheduler.wait_for_device(index);
    scheduler.run_everything();  // other devices' work may use this one's memory
    context.reset();
    for (std::size_t i = captures.size(); i-- > 0;)
        if (captures[i]->device == index) end_capture(*this, std::shared_ptr(captures[i]), false);
    scheduler.timeline.end_device(index);
    stream_races->end_device(index);
    profiler->observer().caches().forget(index);
    memory.end_device(index);
    memory.interprocess.close_all(*this);
    persisting_l2.end_device(index);
    images.release_all(index);
    modules(index).unload();
    libraries.unload_from(index);
    for (Device& other : devices) other.peers.erase(index);
    Device& device = devices[static_cast<std::size_t>(index)];
    device = Device();
    initialise(device);
    device.flags = 0;  // until the next context begins
}

}  // namespace cudash::virtual_gpu::runtime
