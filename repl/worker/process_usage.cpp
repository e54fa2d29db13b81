#include "repl/worker/process_usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace cudash::worker {
namespace {

/// The number behind `field` in a file of /proc; 0: it is not there.
std::uint64_t number_in(std::string_view text, std::string_view field) {
    const std::size_t at = text.find(field);
    return at == std::string_view::npos ? 0 : std::strtoull(text.data() + at + field.size(), nullptr, 10);
}

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether one of the threads runs, or would if the machine had a processor for it.
bool can_run(pid_t process) {
    std::error_code ended;
    for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), ended)) {
        // "proc_pid_stat(5)": the state stands behind the name, which may hold anything.
        const std::string stat = text_of(task.path() / "stat");
        const std::size_t name_end = stat.rfind(')');
        if (name_end != std::string::npos && stat.substr(name_end).starts_with(") R")) return true;
    }
    return false;
}

/// What the threads have run so far, together.
std::chrono::nanoseconds processor_time(pid_t process) {
    clockid_t clock{};
    timespec used{};
    if (process < 0 || clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return std::chrono::nanoseconds(0);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace

ProcessState state_of(pid_t process) {
    const std::string status = text_of(fmt::format("/proc/{}/status", process));
    return {.resident = (number_in(status, "\nVmRSS:") + number_in(status, "\nVmSwap:") + number_in(status, "\nVmPTE:"))
                        << 10,
            .threads = number_in(status, "\nThreads:")};
}

ProcessUsage::ProcessUsage(pid_t process, Clock::time_point now, Clock::duration interval)
    : process_(process), interval_(interval), begun_(processor_time(process)), counted_(begun_), looked_(now) {}

void ProcessUsage::look(Clock::time_point now) {
    const auto processor = processor_time(process_);
    // The front end of a busy machine comes late: what it did not see, nobody is charged with.
    const std::chrono::nanoseconds elapsed = std::min<std::chrono::nanoseconds>(now - looked_, 2 * interval_);
    if (elapsed > processor - counted_ && !can_run(process_)) asleep_ += elapsed - (processor - counted_);
    counted_ = processor;
    processor_ = processor - begun_;
    looked_ = now;
}

void ProcessUsage::count() {
    processor_ = std::max(processor_, processor_time(process_) - begun_);
}

}  // namespace cudash::worker
