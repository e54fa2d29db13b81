// The one runtime that entry points serve, and what each host thread remembers between calls.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime_wrappers/api/backend.h"
#include "runtime_wrappers/api/device_code.h"
#include "runtime_wrappers/api/failed_calls.h"
#include "runtime_wrappers/api/runtime.h"

namespace cudash::host_check {
class Ledger;
}

namespace cudash::api {

/// What is looked at in host code on a real GPU, and told at a program's end on both.
struct HostChecks {
    bool copies = true, unchecked = true, leaks = true;
};

/// What an entry point needs of the live runtime.
struct Active {
    Backend* backend = nullptr;  ///< set while active() gives this
    DeviceCode* code = nullptr;
    Events events;
    bool trace_calls = false, trace_launches = false;
    bool report_errors = true;
    bool keep_failed_calls = false;  ///< for the end of the program
    mutable FailedCalls failed_calls{};
    std::unique_ptr<host_check::Ledger> ledger;  ///< never null
    HostChecks host_checks{};
    std::uint64_t generation = 0;  ///< counts runtimes; tells a thread that its state is of an earlier one

    /// The call of the program that is being served, as far as it is known.
    CallPlace place() const { return events.place ? events.place() : CallPlace(); }
};

Active* active() noexcept;
void set_active(Active* runtime) noexcept;
/// Called once, by the first call that finds no runtime; nullptr: none is opened then. Programs that nvcc built open
/// theirs so, because they may fork before.
void set_opener(void (*open)()) noexcept;

/// Why a call failed, said by the code that refused it. Empty where only the error code is known.
struct Explanation {
    std::string cause;
    std::string hint;
    /// The failure was told already (a kernel's own findings): no second message.
    bool told = false;
    /// cudash itself lacks the function: worth telling once, even to a program that handles its own errors.
    bool lacking = false;
};

struct CallConfiguration {
    dim3 grid, block;
    std::size_t shared = 0;
    cudaStream_t stream = nullptr;
    /// The launch that pushed it: where its code is, and the frame that it runs in.
    const void* site = nullptr;
    const void* frame = nullptr;
};

/// The runtime's state of one host thread.
struct ThreadState {
    std::uint64_t generation = 0;
    std::uint64_t number = 0;  ///< of the thread: 1, 2, ... in the order of their first calls
    cudaError_t last_error = cudaSuccess;
    int device = 0;
    bool in_preparation =
        false;                 ///< what is called belongs to the start of the program: it does not use the device yet
    bool in_callback = false;  ///< a host function that a stream runs must not call the runtime
    cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
    Explanation explanation;
    const void* frame = nullptr;  ///< of the entry point that serves a call: what called it is found from there
    std::vector<CallConfiguration> configurations;  ///< pushed by <<<>>>, popped by the stub; launches nest
};
ThreadState& thread_state();

/// Lasts as long as a call is served. Calls nest: a host function in a stream runs inside of another call.
class ServedCall {
public:
    explicit ServedCall(const void* frame) : before_(std::exchange(thread_state().frame, frame)) {}
    ~ServedCall() { thread_state().frame = before_; }
    ServedCall(const ServedCall&) = delete;
    ServedCall& operator=(const ServedCall&) = delete;

private:
    const void* before_;
};

}  // namespace cudash::api
