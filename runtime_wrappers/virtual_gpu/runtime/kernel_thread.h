// A thread for a kernel that may have to wait for something outside of it: a store of the host's, a copy, another
// kernel. The thread and its caller never run at once: it goes on in start() and resume(), which return when the kernel
// has ended or waits.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace cudash::virtual_gpu::runtime {

class KernelThread {
public:
    KernelThread() : thread_([this] { serve(); }) {}
    ~KernelThread();
    KernelThread(const KernelThread&) = delete;
    KernelThread& operator=(const KernelThread&) = delete;

    /// True if the work has ended, false if it waits.
    bool start(std::function<void()> work);
    /// The same of work that waits; `hope`: what wait() returns to it.
    bool resume(bool hope);
    /// Of the work: its caller goes on. `moved`: it had something to do since the last time.
    bool wait(bool moved);
    bool moved() const { return moved_; }

private:
    enum class Turn : std::uint8_t { caller, work, ended };
    void serve();
    bool let_work(std::unique_lock<std::mutex>& lock);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> work_;
    Turn turn_ = Turn::caller;
    bool hope_ = true, moved_ = false, has_work_ = false;
    std::thread thread_;
};

}  // namespace cudash::virtual_gpu::runtime
