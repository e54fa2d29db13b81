#include "runtime_wrappers/virtual_gpu/runtime/kernel_thread.h"

#include <csignal>
#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/own_threads.h"

namespace cudash::virtual_gpu::runtime {

KernelThread::~KernelThread() {
    {
        const std::lock_guard lock(mutex_);
        turn_ = Turn::ended;
    }
    changed_.notify_all();
    thread_.join();
}

bool KernelThread::let_work(std::unique_lock<std::mutex>& lock) {
    turn_ = Turn::work;
    changed_.notify_all();
    changed_.wait(lock, [this] { return turn_ == Turn::caller; });
    return !has_work_;
}

bool KernelThread::start(std::function<void()> work) {
    std::unique_lock lock(mutex_);
    work_ = std::move(work);
    has_work_ = hope_ = true;
    return let_work(lock);
}

bool KernelThread::resume(bool hope) {
    std::unique_lock lock(mutex_);
    hope_ = hope;
    return let_work(lock);
}

bool KernelThread::wait(bool moved) {
    std::unique_lock lock(mutex_);
    moved_ = moved;
    turn_ = Turn::caller;
    changed_.notify_all();
    changed_.wait(lock, [this] { return turn_ != Turn::caller; });
    return hope_ && turn_ == Turn::work;
}

void KernelThread::serve() {
    // Signals are for the program's threads.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    const OwnThread own;
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return turn_ != Turn::caller; });
        if (turn_ == Turn::ended) return;
        lock.unlock();
        std::exchange(work_, nullptr)();
        lock.lock();
        has_work_ = false;
        turn_ = Turn::caller;
        changed_.notify_all();
    }
}

}  // namespace cudash::virtual_gpu::runtime
