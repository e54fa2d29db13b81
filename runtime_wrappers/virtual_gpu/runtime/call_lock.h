// The lock that every call of the runtime takes. A program's wild pointer can fault in the middle of a call, which then
// never returns: the thread that goes on after the fault gives the lock back.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

namespace cudash::virtual_gpu::runtime {

class CallLock {
public:
    void lock() {
        mutex_.lock();
        ++depth_;
        owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    }
    void unlock() {
        if (--depth_ == 0) owner_.store({}, std::memory_order_relaxed);
        mutex_.unlock();
    }
    /// No call of this thread is under way.
    void give_back() {
        while (owner_.load(std::memory_order_relaxed) == std::this_thread::get_id()) unlock();
    }

private:
    std::recursive_mutex mutex_;
    unsigned depth_ = 0;
    std::atomic<std::thread::id> owner_{};
};

}  // namespace cudash::virtual_gpu::runtime
