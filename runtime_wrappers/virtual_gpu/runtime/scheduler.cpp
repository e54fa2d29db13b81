#include "runtime_wrappers/virtual_gpu/runtime/scheduler.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "runtime_wrappers/virtual_gpu/runtime/conditional.h"
#include "runtime_wrappers/virtual_gpu/runtime/memory_manager.h"

namespace cudash::virtual_gpu::runtime {
namespace {

// Operations that wait before they run although nothing needs them yet: what bounds the memory that they take. An H200
// takes about as many launches before a call blocks.
constexpr std::size_t longest_queue = 1024;

constexpr double query_time = 1000;  // nanoseconds

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

class Scheduler::TaskOperation final : public Operation {
public:
    TaskOperation(const SchedulerHooks& hooks, TaskPtr task, SourceSpot origin)
        : hooks_(hooks), task_(std::move(task)), origin_(std::move(origin)) {}
    Usage run() override {
        const TaskPtr task = std::exchange(task_, nullptr);
        return hooks_.run(*task, *this, origin_);
    }
    bool may_wait() const override {
        if (!task_) return false;
        if (const auto* conditional = std::get_if<ConditionalTask>(task_.get())) return runtime::may_wait(*conditional);
        const auto* kernel = std::get_if<KernelTask>(task_.get());
        return kernel && kernel->info->polls && !kernel->debugger;
    }
    bool survives_errors() const override { return task_ && std::holds_alternative<CallbackTask>(*task_); }

private:
    const SchedulerHooks& hooks_;
    TaskPtr task_;
    SourceSpot origin_;
};

Scheduler::Scheduler(const Profile& profile, int devices, const api::Active& active, ContextState& context,
                     MemoryManager& memory, Profiler& profiler, SchedulerHooks hooks)
    : timeline(profile),
      devices_(devices),
      active_(active),
      context_(context),
      memory_(memory),
      profiler_(profiler),
      hooks_(std::move(hooks)) {}

Scheduler::~Scheduler() {
    stop_progress();
    drop_everything();
}

void Scheduler::stop_progress() {
    progress_.reset();
}

void Scheduler::drop_everything() {
    timeline.drop_all();
    abandon_waiting_kernels();
    timeline.clear();
}

void Scheduler::want_everything() {
    for (int i = 0; i < devices_; ++i) timeline.want_all(i);
}

void Scheduler::lose_context(cudaError_t error, bool told) {
    context_.lose(error, told);
    timeline.drop_after_error();
}

// Such a kernel may watch for what host code stores, and host code for what it stores: it begins at once.
OperationPtr Scheduler::issue(Stream& stream, TaskPtr task) {
    int priority = stream.priority;
    bool talks_to_host = false;
    if (const auto* kernel = std::get_if<KernelTask>(task.get())) {
        priority = kernel->priority(priority);
        talks_to_host = kernel->info->watches && reaches_host(*memory_.space, *kernel);
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

OperationPtr Scheduler::issue_after(int device, TaskPtr task, const std::vector<OperationPtr>& before, int priority,
                                    const SourceSpot& origin) {
    if (timeline.waiting() >= longest_queue && !running_) {
        want_everything();
        run_wanted();
    }
    const TaskPtr kept = task;
    const SourceSpot from = origin.file.empty() ? active_.place().where : origin;
    auto operation = std::make_shared<TaskOperation>(hooks_, std::move(task), from);
    timeline.issue_after(device, operation, before, priority);
    hooks_.issued(operation, *kept, from);
    work_waits_.store(true, std::memory_order_relaxed);
    if (!progress_) progress_ = std::make_unique<BackgroundWork>(*this);
    return operation;
}

cudaError_t Scheduler::wait_for(const std::vector<OperationPtr>& operations) {
    for (const OperationPtr& operation : operations) timeline.want(operation);
    run_wanted(Cause::call, [&] {
        return std::ranges::all_of(operations, [](const OperationPtr& operation) { return operation->done; });
    });
    for (const OperationPtr& operation : operations) {
        timeline.wait_until(operation->end);
        timeline.order.host_waited(operation->moment);
    }
    memory_.trim_pools();
    return context_.outcome();
}

cudaError_t Scheduler::wait_for_device(int device) {
    const cudaError_t status = run_all(device);
    timeline.wait_for_device(device);
    timeline.order.host_waited_for_all();
    memory_.trim_pools();
    return status;
}

bool Scheduler::run_everything(Cause cause, bool to_the_end) {
    const auto enough = [this] {
        for (int i = 0; i < devices_; ++i)
            if (timeline.is_busy(i)) return false;
        return true;
    };
    want_everything();
    return to_the_end ? run_wanted(cause, enough) : run_wanted(cause);
}

void Scheduler::finish_all() {
    run_everything(Cause::call, true);
    for (int i = 0; i < devices_; ++i) timeline.wait_for_device(i);
}

cudaError_t Scheduler::wait_for_devices() {
    finish_all();
    timeline.order.host_waited_for_all();
    return context_.outcome();
}

cudaError_t Scheduler::run_all(int device) {
    timeline.want_all(device);
    run_wanted(Cause::call, [&] { return !timeline.is_busy(device); });
    return context_.outcome();
}

void Scheduler::run_before_reuse(const OperationPtr& operation) {
    const OperationPtr kept = operation;
    if (running_) return;
    timeline.want(kept);
    run_wanted();
}

cudaError_t Scheduler::query(const std::vector<OperationPtr>& operations) {
    for (const OperationPtr& operation : operations) timeline.want(operation);
    run_wanted();
    if (const cudaError_t status = context_.outcome(); status != cudaSuccess) return status;
    const bool ended = std::all_of(operations.begin(), operations.end(), [&](const OperationPtr& operation) {
        return operation->done && operation->end <= timeline.host_time();
    });
    timeline.host_works(query_time);
    if (ended)
        for (const OperationPtr& operation : operations) timeline.order.host_waited(operation->moment);
    return ended ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t Scheduler::settle() {
    // A host function that faulted never came back.
    if (running_ && runner_ == std::this_thread::get_id()) running_ = false;
    settles_ = true;
    finish_all();
    settles_ = false;
    timeline.order.host_waited_for_all();
    context_.forget_failure();
    return context_.sticky();
}

void Scheduler::go_on(Cause cause) {
    const std::lock_guard guard(lock);
    if (running_) return;
    const bool spun = run_everything(cause, false);
    // What the program saw while it waited is over for it. One that only computes may not notice when this happens.
    if ((cause == Cause::host_computes && !spun) || std::exchange(sleeps_, false)) return;
    for (int i = 0; i < devices_; ++i) timeline.wait_for_device(i);
}

void Scheduler::look_again() {
    const std::lock_guard guard(lock);
    if (!running_) run_wanted(Cause::kernel_waits);
}

void Scheduler::host_waits(double nanoseconds) {
    if (api::thread_state().in_callback) return;
    BackgroundWork* progress = nullptr;
    {
        const std::lock_guard guard(lock);
        timeline.host_works(nanoseconds);
        sleeps_ = nanoseconds > 0;
        if (work_waits()) progress = progress_.get();
    }
    if (progress) progress->go_on();
}

bool Scheduler::goes_on() {
    if (api::thread_state().in_callback) return false;
    BackgroundWork* progress = nullptr;
    {
        const std::lock_guard guard(lock);
        progress = progress_.get();
    }
    return progress && progress->goes_on();
}

}  // namespace cudash::virtual_gpu::runtime
