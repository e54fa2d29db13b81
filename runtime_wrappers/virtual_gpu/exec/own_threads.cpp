#include "runtime_wrappers/virtual_gpu/exec/own_threads.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

namespace cudash::virtual_gpu {
namespace {

/// Their numbers; 0: a free place. No lock: another thread may fork, and threads may end after all that is static has.
constinit std::array<std::atomic<int>, 1024> own_threads{};

}  // namespace

int thread_number() {
    std::error_code failed;
    const auto link = std::filesystem::read_symlink("/proc/thread-self", failed);
    const std::string name = link.filename();
    int number = 0;
    const auto end = std::from_chars(name.data(), name.data() + name.size(), number);
    return failed || end.ec != std::errc{} ? gettid() : number;
}

OwnThread::OwnThread() {
    const int number = thread_number();
    const auto take = [number](std::atomic<int>& place) {
        int free = 0;
        return place.compare_exchange_strong(free, number);
    };
    const auto place = std::ranges::find_if(own_threads, take);
    if (place != own_threads.end()) place_ = &*place;
}

OwnThread::~OwnThread() {
    if (place_) place_->store(0);
}

bool is_own_thread(int number) {
    return std::ranges::any_of(own_threads, [number](const auto& place) { return place.load() == number; });
}

}  // namespace cudash::virtual_gpu
