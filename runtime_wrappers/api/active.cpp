#include "runtime_wrappers/api/active.h"

#include <atomic>

namespace cudash::api {
namespace {

std::atomic<Active*> live{nullptr};

}  // namespace

Active* active() noexcept {
    return live.load(std::memory_order_acquire);
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
