#include "runtime_wrappers/virtual_gpu/runtime/background_work.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/own_threads.h"
#include "runtime_wrappers/virtual_gpu/runtime/page_guard.h"
#include "runtime_wrappers/virtual_gpu/runtime/scheduler.h"

namespace cudash::virtual_gpu::runtime {
namespace {

constexpr std::chrono::milliseconds tick{25};
// A kernel that waits looks at its flag so often while the program computes.
constexpr std::chrono::milliseconds waiting_tick{1};
// Between two looks a thread that was woken has gone on.
constexpr int waiting_looks = 2;
constexpr double computing_seconds = 2;

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

/// Whether the thread is in a system call that only another thread ends: a wait for a futex without a limit.
bool waits_without_limit(const std::filesystem::path& thread) {
    std::string line;
    if (std::ifstream file(thread / "syscall"); std::getline(file, line)) {
        // "number argument argument ...", or "running".
        unsigned long number = 0, address = 0, operation = 0, value = 0, limit = 0;
        const int fields =
            std::sscanf(line.c_str(), "%lu %lx %lx %lx %lx", &number, &address, &operation, &value, &limit);
        return fields == 5 && number == SYS_futex && limit == 0;
    }
    // Not every system tells: any wait counts then.
    std::ifstream file(thread / "stat");
    std::getline(file, line);
    // "pid (name) state ...", where the name may hold anything.
    const std::size_t name_end = line.rfind(')');
    return name_end != std::string::npos && name_end + 2 < line.size() && line[name_end + 2] != 'R';
}

/// Threads of the program but for the calling one.
OtherThreads other_threads_of_program() {
    const int own = thread_number();
    OtherThreads found = OtherThreads::none;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", failed)) {
        const std::string name = entry.path().filename();
        int number = 0;
        std::from_chars(name.data(), name.data() + name.size(), number);
        if (number == own || is_own_thread(number)) continue;
        found = OtherThreads::wait;
        if (!waits_without_limit(entry.path())) return OtherThreads::act;
    }
    return found;
}

}  // namespace

OtherThreads BackgroundWork::other_threads() const {
    return other_threads_of_program();
}

BackgroundWork::BackgroundWork(Scheduler& scheduler) : scheduler_(scheduler), thread_([this] { watch(); }) {}

BackgroundWork::~BackgroundWork() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void BackgroundWork::go_on() {
    std::unique_lock lock(mutex_);
    const std::uint64_t own = ++asked_;
    changed_.notify_all();
    constexpr std::chrono::milliseconds look{1};
    while (served_ < own && !stopping_ && !scheduler_.in_host_function()) changed_.wait_for(lock, look);
}

bool BackgroundWork::goes_on() {
    const std::lock_guard lock(mutex_);
    return served_ < asked_;
}

void BackgroundWork::watch() {
    // Signals are for the program's threads.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);

    const OwnThread own;
    std::uint64_t calls = scheduler_.calls();
    double since = processor_seconds();
    int looks = 0;
    bool guarded_again = false;
    std::unique_lock lock(mutex_);
    const auto run = [&](Cause cause) {
        const std::uint64_t asked = asked_;
        lock.unlock();
        scheduler_.go_on(cause);
        lock.lock();
        served_ = asked;
        changed_.notify_all();
    };
    while (true) {
        const bool kernels_wait = scheduler_.has_waiting_kernels();
        changed_.wait_for(lock, kernels_wait ? waiting_tick : tick, [this] { return stopping_ || served_ < asked_; });
        if (stopping_) return;
        const bool asked = served_ < asked_;
        if (asked) {
            run(Cause::host_waits);
        } else if (kernels_wait) {
            lock.unlock();
            scheduler_.look_again();
            lock.lock();
        }
        if (const std::uint64_t now = scheduler_.calls(); asked || now != calls || !scheduler_.work_waits()) {
            calls = now;
            since = processor_seconds();
            looks = 0;
            guarded_again = false;
            continue;
        }
        looks = other_threads_of_program() == OtherThreads::act ? 0 : looks + 1;
        if (looks >= waiting_looks) {
            run(Cause::host_waits);
            looks = 0;
        } else if (processor_seconds() - since >= computing_seconds) {
            // What is read again in the next moment is a flag that the program waits for.
            if (std::exchange(guarded_again, true))
                run(Cause::host_computes);
            else
                PageGuard::guard_again();
        }
    }
}

}  // namespace cudash::virtual_gpu::runtime
