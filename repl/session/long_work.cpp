#include "repl/session/long_work.h"

#include <chrono>
#include <csignal>
#include <utility>

namespace cudash::session {
namespace {

constexpr std::chrono::seconds long_enough(1);

}  // namespace

LongWork::LongWork(std::string_view what, std::function<void(std::string_view)> tell) : tell_(std::move(tell)) {
    if (!tell_) return;
    // Signals are for the thread that works.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    watcher_ = std::thread([this, what] {
        std::unique_lock lock(mutex_);
        told_ = !done_.wait_for(lock, long_enough, [this] { return is_done_; });
        if (told_) tell_(what);
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LongWork::~LongWork() {
    if (!tell_) return;
    {
        const std::lock_guard lock(mutex_);
        is_done_ = true;
    }
    done_.notify_one();
    watcher_.join();
    if (told_) tell_({});
}

}  // namespace cudash::session
