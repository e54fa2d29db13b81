#include "runtime_wrappers/virtual_gpu/runtime/progress.h"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {
namespace {

constexpr std::chrono::milliseconds tick{25};
constexpr int blocked_ticks = 4;
constexpr double computing_seconds = 2;

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

/// Whether every other thread of the process waits for something. One that could run but has no processor does not.
bool all_blocked() {
    const std::string own = std::to_string(gettid());
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", failed)) {
        if (entry.path().filename() == own) continue;
        std::ifstream file(entry.path() / "stat");
        std::string line;
        std::getline(file, line);
        // "pid (name) state ...", where the name may hold anything.
        const std::size_t name_end = line.rfind(')');
        if (name_end == std::string::npos || name_end + 2 >= line.size()) continue;
        if (line[name_end + 2] == 'R') return false;
    }
    return !failed;
}

}  // namespace

Progress::Progress(Gpu& gpu) : gpu_(gpu), thread_([this] { watch(); }) {}

Progress::~Progress() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    stop_.notify_all();
    thread_.join();
}

void Progress::watch() {
    // Signals are for the program's threads.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);

    std::uint64_t calls = gpu_.calls();
    double since = processor_seconds();
    int blocked = 0;
    std::unique_lock lock(mutex_);
    while (!stop_.wait_for(lock, tick, [this] { return stopping_; })) {
        const std::uint64_t now = gpu_.calls();
        if (now != calls || !gpu_.work_waits()) {
            calls = now;
            since = processor_seconds();
            blocked = 0;
            continue;
        }
        blocked = all_blocked() ? blocked + 1 : 0;
        if (blocked < blocked_ticks && processor_seconds() - since < computing_seconds) continue;
        lock.unlock();
        gpu_.go_on();
        lock.lock();
        since = processor_seconds();
        blocked = 0;
    }
}

}  // namespace cudash::virtual_gpu::runtime
