#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "runtime_wrappers/host_check/memory.h"
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

// Operations that wait before they run although nothing needs them yet: what bounds the memory that they take. An H200
// takes about as many launches before a call blocks.
constexpr std::size_t longest_queue = 1024;

constexpr double query_time = 1000;  // nanoseconds

/// An operation that does a task.
class TaskOperation final : public Operation {
public:
    TaskOperation(Gpu& gpu, TaskPtr task, SourceSpot origin)
        : gpu_(gpu), task_(std::move(task)), origin_(std::move(origin)) {}
    Usage run() override {
        const TaskPtr task = std::exchange(task_, nullptr);
        return run_operation(gpu_, *task, *this, origin_);
    }
    bool may_wait() const override {
        if (!task_) return false;
        if (const auto* conditional = std::get_if<ConditionalTask>(task_.get())) return runtime::may_wait(*conditional);
        const auto* kernel = std::get_if<KernelTask>(task_.get());
        return kernel && kernel->info->polls && !kernel->debugger;
    }
    bool survives_errors() const override { return task_ && std::holds_alternative<CallbackTask>(*task_); }

private:
    Gpu& gpu_;
    TaskPtr task_;
    SourceSpot origin_;
};

std::string name_of(const IssuedIn& issued_in) {
    const std::string graph = issued_in.graph_launch ? "graph, " : "";
    if (issued_in.kind == IssuedIn::Kind::per_thread) return graph + "per-thread";
    const bool created = issued_in.kind == IssuedIn::Kind::blocking || issued_in.kind == IssuedIn::Kind::non_blocking;
    return graph + (created ? fmt::format("stream {}", issued_in.number) : "stream 0");
}

/// getpid() without a system call in every call of the runtime.
std::atomic<pid_t> known_process{0};

pid_t this_process() {
    static const int watched = pthread_atfork(nullptr, nullptr, [] { known_process.store(0); });
    (void)watched;
    pid_t known = known_process.load(std::memory_order_relaxed);
    if (known == 0) known_process.store(known = getpid(), std::memory_order_relaxed);
    return known;
}

/// Whether the kernel is given memory that host code uses too.
bool reaches_host(const AddressSpace& memory, const KernelTask& kernel) {
    for (std::size_t at = 0; at + sizeof(Address) <= kernel.parameters.size(); at += sizeof(Address)) {
        Address address = 0;
        std::memcpy(&address, &kernel.parameters[at], sizeof address);
        const auto allocation = memory.find(address);
        if (allocation && (allocation->kind == MemoryKind::pinned || allocation->kind == MemoryKind::registered ||
                           allocation->kind == MemoryKind::managed))
            return true;
    }
    return false;
}

}  // namespace

Result<std::unique_ptr<Gpu>> Gpu::create(const Profile& profile, int count, const api::Active& active,
                                         std::chrono::milliseconds kernel_timeout, MakeCodeGenerator compiler) {
    std::unique_ptr<Gpu> gpu(new Gpu(profile, active));
    gpu->kernel_timeout = kernel_timeout;
    gpu->memory = AddressSpace::create(profile.global_memory * static_cast<std::uint64_t>(count));
    if (!gpu->memory)
        return error("virtual-gpu-memory",
                     fmt::format("cannot reserve addresses for {} virtual {}", count, profile.name),
                     "raise the limit on address space (ulimit -v), or choose a profile with less memory");
    gpu->executor = Executor::create(*gpu->memory, compiler, tier_policy());
    gpu->checks = std::make_unique<Checks>(*gpu->memory);
    gpu->profiler = std::make_unique<Profiler>();
    gpu->timeline.completed = [profiler = gpu->profiler.get()](const Operation& operation, const Usage& usage) {
        if (profiler->running.empty()) return;
        std::string what = std::exchange(profiler->running, {});
        if (what == "copy" && usage.engine == Engine::to_device) what = "copy to the device";
        if (what == "copy" && usage.engine == Engine::to_host) what = "copy to the host";
        profiler->add_work(
            {name_of(operation.issued_in), std::move(what), operation.end - usage.duration, operation.end});
    };
    gpu->stream_races = std::make_unique<StreamRaces>();
    gpu->graphs = std::make_unique<Graphs>();
    gpu->hazards = std::make_unique<HostHazards>(*gpu);
    gpu->devices.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        Device& device = gpu->devices[static_cast<std::size_t>(i)];
        gpu->initialise(device);
        device.pools.standard = device.pools.current = gpu->pools.add({.device = i, .is_default = true});
        gpu->modules_of.push_back(std::make_unique<Modules>(*gpu, i));
    }
    return gpu;
}

Gpu::Gpu(const Profile& profile, const api::Active& active) : profile(profile), active(active), timeline(profile) {}

Gpu::~Gpu() {
    progress_.reset();
    hazards->forget();
    timeline.drop_all();
    abandon_waiting_kernels();
    timeline.clear();
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

bool Gpu::is_of_parent_process(api::Support support) {
    pid_t first = process_.load(std::memory_order_relaxed);
    if (first != 0) return first != this_process();
    const bool begins =
        support != api::Support::ANYWHERE && support != api::Support::PURE && !api::thread_state().in_preparation;
    return begins && !process_.compare_exchange_strong(first, this_process()) && first != this_process();
}

cudaError_t Gpu::refuse_in_child(api::Support support) {
    if (support == api::Support::ANYWHERE || support == api::Support::PURE) return cudaSuccess;
    return refuse_with_hint(cudaErrorInitializationError,
                            "the program used CUDA before it forked, and a child process cannot go on with that",
                            "fork before the first call of the CUDA runtime, or start another program");
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
            begun_ = true;
            return dead_ && !in_callback ? cudaErrorDevicesUnavailable : cudaSuccess;
        case api::Support::VIRTUAL:
            begun_ = true;
            device().flags |= cudaDeviceMapHost;
            return context_status();
    }
    return cudaSuccess;
}

cudaError_t Gpu::context_status() {
    if (api::thread_state().in_callback) return cudaErrorNotPermitted;
    if (dead_) return cudaErrorDevicesUnavailable;
    if (sticky_ != cudaSuccess) api::thread_state().explanation.told = std::exchange(sticky_told_, true);
    return sticky_;
}

cudaError_t Gpu::refuse_with_hint(cudaError_t error, std::string cause, std::string hint) {
    api::Explanation& explanation = api::thread_state().explanation;
    explanation.cause = std::move(cause);
    explanation.hint = std::move(hint);
    return error;
}

std::string Gpu::origin() const {
    return host_check::origin_of(call_place());
}

Stream* Gpu::stream(cudaStream_t handle) {
    if (handle == nullptr || handle == cudaStreamLegacy) return &timeline.legacy(current());
    if (handle == cudaStreamPerThread) return &timeline.per_thread(current(), api::thread_state().number);
    Stream* found = timeline.streams.find(handle);
    if (!found) refuse(cudaErrorInvalidResourceHandle, "the stream was destroyed, or never created");
    return found;
}

Event* Gpu::event(cudaEvent_t handle) {
    Event* found = timeline.events.find(handle);
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
    OperationPtr operation = issue(stream, std::make_shared<const Task>(std::move(task)));
    if (issued) *issued = std::move(operation);
    return cudaSuccess;
}

// Such a kernel may watch for what host code stores, and host code for what it stores: it begins at once.
OperationPtr Gpu::issue(Stream& stream, TaskPtr task) {
    int priority = stream.priority;
    bool talks_to_host = false;
    if (const auto* kernel = std::get_if<KernelTask>(task.get())) {
        priority = kernel->priority(priority);
        talks_to_host = kernel->info->watches && reaches_host(*memory, *kernel);
    }
    OperationPtr operation = issue_after(stream.device, std::move(task), timeline.frontier(stream), priority);
    operation->issued_in = Timeline::issued_in(stream);
    timeline.set_last(stream, operation);
    if (talks_to_host && !running_) {
        timeline.want(operation);
        run_wanted();
    }
    return operation;
}

OperationPtr Gpu::issue_after(int device, TaskPtr task, const std::vector<OperationPtr>& before, int priority,
                              const SourceSpot& origin) {
    if (timeline.waiting() >= longest_queue && !running_) {
        for (int i = 0; i < static_cast<int>(devices.size()); ++i) timeline.want_all(i);
        run_wanted();
    }
    const TaskPtr kept = task;
    const auto* kernel = std::get_if<KernelTask>(kept.get());
    auto operation = std::make_shared<TaskOperation>(*this, std::move(task), origin.file.empty() ? place() : origin);
    timeline.issue_after(device, operation, before, priority);
    hazards->issued(operation, *kept, origin.file.empty() ? place() : origin);
    if (kernel) persisting_l2.launched(*this, operation, kernel->effective_window());
    work_waits_.store(true, std::memory_order_relaxed);
    if (!progress_) progress_ = std::make_unique<Progress>(*this);
    return operation;
}

void Gpu::call_ends() {
    hazards->call_ends();
}

cudaError_t Gpu::outcome() {
    if (sticky_ != cudaSuccess) return context_status();
    if (failure_ != cudaSuccess) api::thread_state().explanation.told = failure_told_;
    return std::exchange(failure_, cudaSuccess);
}

cudaError_t Gpu::wait_for(const std::vector<OperationPtr>& operations) {
    for (const OperationPtr& operation : operations) timeline.want(operation);
    run_wanted(Cause::call, [&] {
        return std::ranges::all_of(operations, [](const OperationPtr& operation) { return operation->done; });
    });
    for (const OperationPtr& operation : operations) {
        timeline.wait_until(operation->end);
        timeline.order.host_waited(operation->moment);
    }
    trim_pools();
    return outcome();
}

void Gpu::trim_pools() {
    for (auto& [handle, pool] : pools) pool.release();
}

cudaError_t Gpu::wait_for_device(int device) {
    const cudaError_t status = run_all(device);
    timeline.wait_for_device(device);
    timeline.order.host_waited_for_all();
    trim_pools();
    return status;
}

bool Gpu::run_everything(Cause cause, bool to_the_end) {
    const auto enough = [this] {
        for (int i = 0; i < static_cast<int>(devices.size()); ++i)
            if (timeline.is_busy(i)) return false;
        return true;
    };
    for (int i = 0; i < static_cast<int>(devices.size()); ++i) timeline.want_all(i);
    return to_the_end ? run_wanted(cause, enough) : run_wanted(cause);
}

void Gpu::finish_all() {
    run_everything(Cause::call, true);
    for (int i = 0; i < static_cast<int>(devices.size()); ++i) timeline.wait_for_device(i);
}

cudaError_t Gpu::wait_for_devices() {
    finish_all();
    timeline.order.host_waited_for_all();
    return outcome();
}

cudaError_t Gpu::run_all(int device) {
    timeline.want_all(device);
    run_wanted(Cause::call, [&] { return !timeline.is_busy(device); });
    return outcome();
}

void Gpu::run_before_reuse(const OperationPtr& operation) {
    const OperationPtr kept = operation;
    if (running_) return;
    timeline.want(kept);
    run_wanted();
}

cudaError_t Gpu::query(const std::vector<OperationPtr>& operations) {
    for (const OperationPtr& operation : operations) timeline.want(operation);
    run_wanted();
    if (const cudaError_t status = outcome(); status != cudaSuccess) return status;
    const bool ended = std::all_of(operations.begin(), operations.end(), [&](const OperationPtr& operation) {
        return operation->done && operation->end <= timeline.host_time();
    });
    timeline.host_works(query_time);
    if (ended)
        for (const OperationPtr& operation : operations) timeline.order.host_waited(operation->moment);
    return ended ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t Gpu::settle() {
    // A host function that faulted never came back.
    if (running_ && runner_ == std::this_thread::get_id()) running_ = false;
    finish_all();
    timeline.order.host_waited_for_all();
    failure_ = cudaSuccess;
    return sticky_;
}

void Gpu::go_on(Cause cause) {
    const std::lock_guard lock(mutex_);
    if (running_) return;
    const bool spun = run_everything(cause, false);
    // What the program saw while it waited is over for it. One that only computes may not notice when this happens.
    if ((cause == Cause::host_computes && !spun) || std::exchange(sleeps_, false)) return;
    for (int i = 0; i < static_cast<int>(devices.size()); ++i) timeline.wait_for_device(i);
}

void Gpu::look_again() {
    const std::lock_guard lock(mutex_);
    if (!running_) run_wanted(Cause::kernel_waits);
}

void Gpu::host_waits(double nanoseconds) {
    if (api::thread_state().in_callback) return;
    Progress* progress = nullptr;
    {
        const std::lock_guard lock(mutex_);
        timeline.host_works(nanoseconds);
        sleeps_ = nanoseconds > 0;
        if (work_waits()) progress = progress_.get();
    }
    if (progress) progress->go_on();
}

bool Gpu::goes_on() {
    if (api::thread_state().in_callback) return false;
    Progress* progress = nullptr;
    {
        const std::lock_guard lock(mutex_);
        progress = progress_.get();
    }
    return progress && progress->goes_on();
}

void Gpu::note_failure(cudaError_t error, bool told) {
    if (failure_ == cudaSuccess) failure_ = error, failure_told_ = told;
}

void Gpu::lose_context(cudaError_t error, bool told) {
    sticky_ = error, sticky_told_ = told;
    timeline.drop_after_error();
}

// Recorded on an H200: graphs, pools with their memory, and functions' attributes survive; streams, events, other
// memory and variables do not; nor does other devices' access to the device.
void Gpu::reset() {
    const int index = current();
    wait_for_device(index);
    run_everything(Cause::call, true);  // other devices' work may use this one's memory
    if (sticky_ != cudaSuccess) dead_ = true;
    sticky_ = failure_ = cudaSuccess;
    for (std::size_t i = captures.size(); i-- > 0;)
        if (captures[i]->device == index) end_capture(*this, std::shared_ptr(captures[i]), false);
    timeline.end_device(index);
    stream_races->end_device(index);
    profiler->observer().caches().forget(index);
    reset_memory(index);
    persisting_l2.end_device(index);
    images.release_all(index);
    modules(index).unload();
    libraries.unload_from(index);
    for (Device& other : devices) other.peers.erase(index);
    Device& device = devices[static_cast<std::size_t>(index)];
    Device fresh;
    fresh.pools = device.pools;
    fresh.memory = device.memory;
    device = std::move(fresh);
    initialise(device);
    device.flags = 0;  // until the next context begins
}

}  // namespace cudash::virtual_gpu::runtime
