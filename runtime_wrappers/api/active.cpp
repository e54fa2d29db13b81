#include "runtime_wrappers/api/active.h"

#include <atomic>
#include <mutex>

namespace cudash::api {
namespace {

std::atomic<Active*> live{nullptr};
std::atomic<void (*)()> opener{nullptr};

/// Other threads wait until the runtime is open. What opens it finds none meanwhile.
Active* open_now() noexcept {
    static std::mutex mutex;
    thread_local bool opening = false;
    if (opening) return nullptr;
    const std::lock_guard lock(mutex);
    if (auto* const open = opener.load()) {
        opening = true;
        open();
        opening = false;
        opener.store(nullptr);
    }
    return live.load(std::memory_order_acquire);
}

}  // namespace

Active* active() noexcept {
    Active* const runtime = live.load(std::memory_order_acquire);
    return runtime || !opener.load(std::memory_order_acquire) ? runtime : open_now();
}

void set_opener(void (*open)()) noexcept {
    opener.store(open, std::memory_order_release);
}

void set_active(Active* runtime) noexcept {
    live.store(runtime, std::memory_order_release);
}

ThreadState& thread_state() {
    thread_local ThreadState state;
    const Active* runtime = active();
    const std::uint64_t generation = runtime ? runtime->generation : 0;
    if (state.generation != generation) {
        static std::atomic<std::uint64_t> threads{0};
        const std::uint64_t number = state.number ? state.number : ++threads;
        state = {};
        state.number = number;
        state.generation = generation;
    }
    return state;
}

const void* frame_of_call() {
    return thread_state().frame;
}

}  // namespace cudash::api
