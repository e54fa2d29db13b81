// When the work of the streams runs, and how the host waits for it. The timeline says what may run and when it would on
// a device; here it is done, one thing at a time (run_queue.cpp).
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/runtime/background_work.h"
#include "runtime_wrappers/virtual_gpu/runtime/call_lock.h"
#include "runtime_wrappers/virtual_gpu/runtime/context_state.h"
#include "runtime_wrappers/virtual_gpu/runtime/kernel_thread.h"
#include "runtime_wrappers/virtual_gpu/runtime/task.h"
#include "runtime_wrappers/virtual_gpu/stream/timeline.h"

namespace cudash::virtual_gpu {
class Profiler;
struct Uses;
}  // namespace cudash::virtual_gpu

namespace cudash::virtual_gpu::runtime {

class MemoryManager;

/// A kernel that has begun and waits for others. What belongs to the operation that runs is put aside with it.
struct WaitingKernel {
    OperationPtr operation;
    std::unique_ptr<KernelThread> thread;
    Usage usage{};
    Uses* uses = nullptr;
    std::string running{};
    bool waited = false;
};

/// What the scheduler asks of the rest of the GPU.
struct SchedulerHooks {
    std::function<Usage(const Task& task, Operation& operation, const SourceSpot& origin)> run;
    /// An operation was queued.
    std::function<void(const OperationPtr& operation, const Task& task, const SourceSpot& origin)> issued;
    /// Operations run now. True if the program spun on a flag meanwhile (HostHazards::work_begins).
    std::function<bool(Cause)> begins;
    /// Ends the kernel that runs; async-signal-safe.
    std::function<void()> stop_kernel;
};

class Scheduler {
public:
    Scheduler(const Profile& profile, int devices, const api::Active& active, ContextState& context,
              MemoryManager& memory, Profiler& profiler, SchedulerHooks hooks);
    ~Scheduler();

    /// Work goes on in calls alone from now on.
    void stop_progress();
    /// What is queued or waits in its midst ends, undone.
    void drop_everything();

    Timeline timeline;
    /// Every call takes it.
    CallLock lock;
    Uses* uses = nullptr;  ///< of the operation that runs, where somebody asks for them

    /// Queues an operation that nothing captures.
    OperationPtr issue(Stream& stream, TaskPtr task);
    /// `origin`: where it was asked for, if that is not where the program is now.
    OperationPtr issue_after(int device, TaskPtr task, const std::vector<OperationPtr>& before, int priority = 0,
                             const SourceSpot& origin = {});
    /// Runs what the operations need and the operations, and waits for them on the modelled clock. Returns what went
    /// wrong on the device since the last wait.
    cudaError_t wait_for(const std::vector<OperationPtr>& operations);
    cudaError_t wait_for_device(int device);
    cudaError_t wait_for_devices();
    /// Runs all that the device was asked for, the host not waiting for it on the modelled clock.
    cudaError_t run_all(int device);
    /// Runs what the operation needs and the operation, whatever comes of it.
    void run_before_reuse(const OperationPtr& operation);
    /// Runs the same; cudaErrorNotReady if the modelled clock has them end later than now.
    cudaError_t query(const std::vector<OperationPtr>& operations);
    /// Everything that is queued runs: the end of a cell or of a program.
    cudaError_t settle();
    /// The context is lost: what waits is dropped.
    void lose_context(cudaError_t error, bool told);
    /// Everything that all devices were asked for runs to its end.
    void run_everything() { run_everything(Cause::call, true); }
    void count_call() { calls_.fetch_add(1, std::memory_order_relaxed); }
    /// Calls of the program so far, and whether something is queued; for BackgroundWork.
    std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }
    bool work_waits() const { return work_waits_.load(std::memory_order_relaxed); }
    /// Runs what is queued although no call needs it.
    void go_on(Cause cause);
    /// A thread of the program is about to wait, in nothing of the runtime's, for so many nanoseconds at least: what is
    /// queued runs, and the time passes on the modelled clock.
    void host_waits(double nanoseconds);
    /// Kernels that wait look again; nothing new begins.
    void look_again();
    /// Whether what runs because a thread waits is still at it.
    bool goes_on();
    bool settles() const { return settles_; }
    bool in_host_function() const { return host_functions_.load() > 0; }
    bool running_operations() const { return running_; }
    /// Of a kernel that runs in a thread of its own: it waits for others (DeviceOutput::waits); null: it can't.
    KernelThread* waiting_thread() { return step_ ? step_->thread.get() : nullptr; }
    /// Kernels that wait end now, and what they did is of no interest.
    bool abandons() const { return abandons_; }
    bool has_waiting_kernels() const { return kernels_wait_.load(std::memory_order_relaxed); }
    /// Async-signal-safe: what is queued and has not begun is dropped.
    void interrupt() noexcept { interrupted_.store(true), hooks_.stop_kernel(); }
    bool interrupted() const noexcept { return interrupted_.load(); }
    void forget_interrupt() noexcept { interrupted_.store(false); }

    /// Runs a student's host function, which may not call the runtime. It may fault and never return here, and so runs
    /// without the lock; start_over() clears the mark that it leaves then.
    template <class Body>
    void run_callback(Body body) {
        // On a real device another thread runs it: its errors are not those of this one.
        api::ThreadState& thread = api::thread_state();
        const cudaError_t last_error = thread.last_error;
        thread.in_callback = true;
        ++host_functions_;
        lock.unlock();
        body();
        lock.lock();
        --host_functions_;
        thread.in_callback = false;
        thread.last_error = last_error;
    }
    /// Between cells: nothing of this thread's is under way.
    void start_over() {
        lock.give_back();
        if (std::exchange(api::thread_state().in_callback, false)) --host_functions_;
        api::thread_state().configurations.clear();
        api::thread_state().frame = nullptr;
    }

private:
    class TaskOperation;

    /// Runs what is wanted. Kernels may wait in its midst: then all that is queued runs, and what waits goes on. If
    /// `enough` is given the caller waits until it says so, and kernels for which nobody could do anything have a
    /// deadlock. True if the program spun on a flag meanwhile (HostHazards::work_begins).
    bool run_wanted(Cause cause = Cause::call, const std::function<bool()>& enough = {});
    bool run_everything(Cause cause, bool to_the_end);
    void run_now(const OperationPtr& operation);
    /// The kernel runs in its thread until it has ended or waits.
    void step(WaitingKernel& kernel, const std::function<bool(KernelThread&)>& go);
    void end_kernel(WaitingKernel& kernel);
    /// Those that wait look again. True if some moved.
    bool step_waiting_kernels(bool hope);
    /// Kernels that wait for what was dropped end.
    void abandon_waiting_kernels();
    /// Nothing queued lets the kernels go on: other threads of the program may. True if kernels are to look again: what
    /// those threads did last may have come after the kernels' last look, even where they only wait now or have ended.
    /// `idle_looks`: how often they only waited, 0 once a kernel has moved.
    bool let_other_threads_act(unsigned& idle_looks);
    void finish_all();
    void want_everything();

    const int devices_;
    const api::Active& active_;
    ContextState& context_;
    MemoryManager& memory_;
    Profiler& profiler_;
    const SchedulerHooks hooks_;
    std::condition_variable_any turn_;  ///< one thread at a time runs operations
    bool running_ = false;
    std::thread::id runner_{};
    std::atomic<bool> interrupted_{false}, work_waits_{false};
    std::atomic<std::uint64_t> calls_{0};
    std::atomic<int> host_functions_{0};  ///< that run now
    std::unique_ptr<BackgroundWork> progress_;
    std::vector<std::unique_ptr<WaitingKernel>> waiting_;  ///< in the order in which they started
    std::vector<std::unique_ptr<KernelThread>> idle_threads_;
    WaitingKernel* step_ = nullptr;  ///< that runs now
    bool abandons_ = false, settles_ = false;
    bool sleeps_ = false;  ///< the program waits for a time that the modelled clock has counted
    std::atomic<bool> kernels_wait_{false};
};

}  // namespace cudash::virtual_gpu::runtime
