// How what is queued runs, and what becomes of kernels that wait in their midst for a store of the host's, for a copy
// or for another kernel. On a device all of these go on at once. Here one thing runs at a time, and the rest when a
// kernel has nothing left to do but to look at memory that others write: first all that is queued, then other kernels
// that wait, then, where the program does not wait for the device, the program itself, and else its other threads. Only
// where there is nobody left it is a deadlock. Which order that gives depends on the program alone, unless its threads
// race.
#include <algorithm>
#include <bit>
#include <chrono>
#include <thread>

#include "runtime_wrappers/virtual_gpu/profile/profiler.h"
#include "runtime_wrappers/virtual_gpu/runtime/scheduler.h"

namespace cudash::virtual_gpu::runtime {

bool Scheduler::run_wanted(Cause cause, const std::function<bool()>& enough) {
    while (running_) {
        if (enough && enough()) return false;
        turn_.wait(lock);
    }
    const bool spun = hooks_.begins(cause);
    running_ = true;
    interrupted_.store(false);
    runner_ = std::this_thread::get_id();
    const auto interrupted = [this] {
        if (!interrupted_.exchange(false)) return false;
        timeline.drop_all();
        context_.note_failure(cudaErrorUnknown, true);
        abandon_waiting_kernels();
        return true;
    };
    unsigned idle_looks = 0;
    for (bool hope = true;;) {
        const OperationPtr next = timeline.next_wanted();
        if (next) {
            if (interrupted()) break;
            run_now(next);
            continue;
        }
        abandon_waiting_kernels();  // of those that an error ended
        if (waiting_.empty() || (enough && enough())) break;
        if (step_waiting_kernels(hope)) {
            idle_looks = 0;
            continue;
        }
        if (cause == Cause::kernel_waits) break;
        // What nobody asked for yet would run on a device all the same.
        const std::size_t before = timeline.wanted();
        want_everything();
        if (timeline.wanted() != before) continue;
        if (!enough || !hope) break;
        if (interrupted()) break;
        hope = let_other_threads_act(idle_looks);
    }
    running_ = false;
    work_waits_.store(timeline.waiting() > 0, std::memory_order_relaxed);
    turn_.notify_all();
    return spun;
}

void Scheduler::run_now(const OperationPtr& operation) {
    if (!operation->may_wait()) return timeline.complete(*operation);
    timeline.begin(*operation);
    auto kernel = std::make_unique<WaitingKernel>();
    kernel->operation = operation;
    if (idle_threads_.empty()) {
        kernel->thread = std::make_unique<KernelThread>();
    } else {
        kernel->thread = std::move(idle_threads_.back());
        idle_threads_.pop_back();
    }
    WaitingKernel& made = *kernel;
    waiting_.push_back(std::move(kernel));
    step(made, [&made, device = api::thread_state().device](KernelThread& thread) {
        return thread.start([&made, device] {
            api::thread_state().device = device;
            made.usage = made.operation->run();
        });
    });
}

void Scheduler::step(WaitingKernel& kernel, const std::function<bool(KernelThread&)>& go) {
    WaitingKernel* const outer = std::exchange(step_, &kernel);
    Uses* const uses_before = std::exchange(uses, kernel.uses);
    std::string running_before = std::exchange(profiler_.running, std::move(kernel.running));
    const bool ended = go(*kernel.thread);
    kernel.uses = std::exchange(uses, uses_before);
    kernel.running = std::exchange(profiler_.running, std::move(running_before));
    step_ = outer;
    if (ended)
        end_kernel(kernel);
    else
        kernel.waited = true;
    kernels_wait_.store(!waiting_.empty(), std::memory_order_relaxed);
}

void Scheduler::end_kernel(WaitingKernel& kernel) {
    const auto at = std::ranges::find_if(waiting_, [&](const auto& each) { return each.get() == &kernel; });
    const std::unique_ptr<WaitingKernel> ended = std::move(*at);
    waiting_.erase(at);
    idle_threads_.push_back(std::move(ended->thread));
    std::string running_before = std::exchange(profiler_.running, std::move(ended->running));
    if (!abandons_ && !ended->operation->done) timeline.end(*ended->operation, ended->usage, ended->waited);
    profiler_.running = std::move(running_before);
}

bool Scheduler::step_waiting_kernels(bool hope) {
    std::vector<WaitingKernel*> all;
    for (const auto& kernel : waiting_) all.push_back(kernel.get());
    bool moved = false;
    for (WaitingKernel* kernel : all) {
        const auto is_kernel = [&](const auto& each) { return each.get() == kernel; };
        if (std::ranges::none_of(waiting_, is_kernel)) continue;
        step(*kernel, [&](KernelThread& thread) { return thread.resume(hope); });
        moved |= std::ranges::none_of(waiting_, is_kernel) || kernel->thread->moved();
        if (context_.sticky() != cudaSuccess) break;
    }
    return moved;
}

void Scheduler::abandon_waiting_kernels() {
    if (abandons_) return;
    abandons_ = true;
    for (std::size_t i = waiting_.size(); i-- > 0;) {
        WaitingKernel& kernel = *waiting_[i];
        if (!kernel.operation->done) continue;
        for (bool ended = false; !ended;)
            step(kernel, [&](KernelThread& thread) {
                hooks_.stop_kernel();
                return ended = thread.resume(false);
            });
    }
    abandons_ = false;
}

bool Scheduler::let_other_threads_act(unsigned& idle_looks) {
    constexpr std::chrono::microseconds pause{500};
    // A thread that was woken, or waits for our lock, has gone on by then, on a busy machine too.
    constexpr unsigned most_looks = 512;
    while (idle_looks < most_looks) {
        const OtherThreads others = progress_ ? progress_->other_threads() : OtherThreads::none;
        if (others == OtherThreads::none) {
            idle_looks = most_looks;
            return true;
        }
        turn_.notify_all();
        lock.unlock();
        std::this_thread::sleep_for(pause);
        lock.lock();
        idle_looks = others == OtherThreads::act ? 0 : idle_looks + 1;
        if (idle_looks == 0 || std::has_single_bit(idle_looks)) return true;
    }
    return false;
}

}  // namespace cudash::virtual_gpu::runtime
