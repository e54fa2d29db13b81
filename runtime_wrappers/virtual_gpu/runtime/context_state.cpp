#include "runtime_wrappers/virtual_gpu/runtime/context_state.h"

#include <pthread.h>
#include <unistd.h>

#include <utility>

#include "runtime_wrappers/virtual_gpu/runtime/refusal.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// getpid() without a system call in every call of the runtime.
std::atomic<pid_t> known_process{0};

pid_t this_process() {
    static const int watched = pthread_atfork(nullptr, nullptr, [] { known_process.store(0); });
    (void)watched;
    pid_t known = known_process.load(std::memory_order_relaxed);
    if (known == 0) known_process.store(known = getpid(), std::memory_order_relaxed);
    return known;
}

}  // namespace

bool ContextState::is_of_parent_process(api::Support support) {
    pid_t first = process_.load(std::memory_order_relaxed);
    if (first != 0) return first != this_process();
    const bool begins =
        support != api::Support::ANYWHERE && support != api::Support::PURE && !api::thread_state().in_preparation;
    return begins && !process_.compare_exchange_strong(first, this_process()) && first != this_process();
}

cudaError_t refuse_in_child(api::Support support) {
    if (support == api::Support::ANYWHERE || support == api::Support::PURE) return cudaSuccess;
    return refuse_with_hint(cudaErrorInitializationError,
                            "the program used CUDA before it forked, and a child process cannot go on with that",
                            "fork before the first call of the CUDA runtime, or start another program");
}

cudaError_t ContextState::status() {
    if (api::thread_state().in_callback) return cudaErrorNotPermitted;
    if (dead_) return cudaErrorDevicesUnavailable;
    if (sticky_ != cudaSuccess) api::thread_state().explanation.told = std::exchange(sticky_told_, true);
    return sticky_;
}

void ContextState::note_failure(cudaError_t error, bool told) {
    if (failure_ == cudaSuccess) failure_ = error, failure_told_ = told;
}

cudaError_t ContextState::outcome() {
    if (sticky_ != cudaSuccess) return status();
    if (failure_ != cudaSuccess) api::thread_state().explanation.told = failure_told_;
    return std::exchange(failure_, cudaSuccess);
}

void ContextState::reset() {
    if (sticky_ != cudaSuccess) dead_ = true;
    sticky_ = failure_ = cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
