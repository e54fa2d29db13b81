// Whether the program's context has begun, works, or is lost, and the errors that wait to be told. All devices share
// it.
#pragma once

#include <cuda_runtime_api.h>
#include <sys/types.h>

#include <atomic>

#include "runtime_wrappers/api/function.h"

namespace cudash::virtual_gpu::runtime {

class ContextState {
public:
    /// Whether a call has needed a context: the runtime makes one then.
    bool has_begun() const noexcept { return begun_.load(); }
    void begin() noexcept { begun_ = true; }

    /// Whether this is a child of the process that used the context first. It has none of the threads that its parent
    /// works with, one of which may have held the lock.
    bool is_of_parent_process(api::Support support);

    /// The sticky error that a kernel left; 0 if none.
    cudaError_t sticky() const { return sticky_; }
    bool dead() const { return dead_; }
    /// `told`: the kernel's findings were sent; later calls only repeat the code.
    void lose(cudaError_t error, bool told) { sticky_ = error, sticky_told_ = told; }
    /// What no real GPU can: the context goes on, memory kept.
    void recover() { sticky_ = cudaSuccess, dead_ = false; }
    /// cudaDeviceReset: with a sticky error nothing works in this process any more.
    void reset();
    /// What a call that needs the context returns for now.
    cudaError_t status();

    /// An error of an operation that the context survives: the next wait returns it.
    void note_failure(cudaError_t error, bool told);
    void forget_failure() { failure_ = cudaSuccess; }
    /// A kernel was not run for what is in its code.
    void note_refused_code() { refused_code_ = true; }
    bool has_refused_code() const { return refused_code_; }
    /// What a wait returns: the sticky error, or once what went wrong since the last one.
    cudaError_t outcome();

private:
    std::atomic<bool> begun_{false};
    std::atomic<pid_t> process_{0};  ///< that used the context first
    cudaError_t failure_ = cudaSuccess;
    bool failure_told_ = false;
    std::atomic<bool> refused_code_{false};
    cudaError_t sticky_ = cudaSuccess;
    bool sticky_told_ = false;
    bool dead_ = false;
};

/// What calls that need the device are refused with in a child process.
cudaError_t refuse_in_child(api::Support support);

}  // namespace cudash::virtual_gpu::runtime
