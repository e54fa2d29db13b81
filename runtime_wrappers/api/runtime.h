// The CUDA runtime API as interpreted code meets it: entry points with the real names and signatures, each going
// through one table row to the chosen backend (the real libcudart, or the virtual GPU).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/api/device_code.h"
#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/result.h"

namespace cudash::virtual_gpu {
class Profiler;
}

namespace cudash::api {

/// `auto`, `gpu`, `gpu:1`, `virtual`, `virtual:h200`, `virtual:h200x2`.
struct DeviceSelection {
    enum class Backend { automatic, gpu, virtual_gpu };
    Backend backend = Backend::automatic;
    int index = 0;        ///< of a real GPU
    std::string profile;  ///< of a virtual one; empty: the default
    int count = 1;        ///< of virtual devices
};
/// The error lists what would be accepted.
Result<DeviceSelection> parse_device(std::string_view text);

/// What the runtime tells the session while code runs.
struct Events {
    /// A failed call, a failed launch, a finding: once each, as it happens.
    std::function<void(const Diagnostic&)> diagnostic;
    /// printf from device code.
    std::function<void(std::string_view)> print;
    std::function<void(std::string_view kernel, std::uint64_t done, std::uint64_t all)> progress;
    /// Where interpreted code is now ("cell 2 line 4"), for the origin of allocations; may be empty.
    std::function<std::string()> origin;
    /// Every call of a cudaXxx function as it returns: "cudaMalloc(devPtr=0x7ffd..., size=16)" and its cudaError_t.
    /// Empty: no tracing, no cost.
    std::function<void(std::string_view call, int status)> trace;
};

struct Options {
    DeviceSelection device;
    std::uint64_t kernel_timeout_ms = 0;  ///< 0: none
    bool report_errors = true;            ///< send failed calls to Events::diagnostic
    std::string check = "default";        ///< what the virtual GPU looks for: virtual_gpu/check/checkers.h
    bool profile = false;                 ///< the virtual GPU counts what kernels do: Runtime::profiler
};

struct Symbol {
    std::string_view name;
    const void* address;
};

/// A live allocation, as the shell lists it.
struct ListedAllocation {
    std::uint64_t address = 0, size = 0;  ///< bytes
    std::string kind;                     ///< "device", "pinned", "managed"...
    std::string details;                  ///< pitch, flags
    std::string origin;                   ///< "cell 3", a variable's name
};

class Runtime {
public:
    /// Opens the backend. `code` and `events` must outlive the runtime. At most one Runtime lives at a time.
    static Result<std::unique_ptr<Runtime>> create(const Options& options, DeviceCode& code, Events events);
    virtual ~Runtime() = default;

    virtual bool is_virtual() const = 0;
    /// "virtual h200" or "gpu 0: NVIDIA H200", for the prompt and `doctor`.
    virtual std::string device_description() const = 0;
    /// What device code must be compiled for.
    virtual Target target() const = 0;

    /// Waits for all work; what a program's end, or a cell's end, does. Returns the cudaError_t.
    virtual int synchronize() = 0;
    /// Drops what is queued and has not begun (virtual GPU): the user stopped the cell.
    virtual void abandon() = 0;
    /// The sticky error that poisons the context, 0 if none.
    virtual int sticky_error() const = 0;
    /// Virtual GPU: clears a sticky error, all memory kept. False on a real GPU: its context is gone.
    virtual bool recover() = 0;
    /// Stops a running kernel (virtual GPU); async-signal-safe.
    virtual void cancel() noexcept = 0;
    /// True if `address` is device memory that host code must not touch, with a sentence about it.
    virtual std::optional<std::string> describe_address(std::uint64_t address) const = 0;
    struct ListedChecker {
        std::string_view name, finds;
        bool on = false, whole = false;  ///< whole: all of a launch is looked at
    };
    /// Changes what the virtual GPU looks for, as --check does; the error lists what there is.
    virtual std::optional<Diagnostic> set_check(std::string_view) { return std::nullopt; }
    /// Empty on a real GPU.
    virtual std::vector<ListedChecker> checkers() const { return {}; }
    /// What it counts and has counted (virtual_gpu/profile/profiler.h); nullptr on a real GPU.
    virtual virtual_gpu::Profiler* profiler() { return nullptr; }
    /// Every live allocation, by address; empty on a real GPU, which does not tell.
    virtual std::vector<ListedAllocation> allocations() const = 0;
    /// Copies device, pinned or managed bytes for display; false if any is not mapped.
    virtual bool peek(std::uint64_t address, void* destination, std::size_t bytes) const = 0;
};

/// The entry points that the host engine defines for interpreted code: every row of cuda_api.def and the launch glue
/// (__cudaPushCallConfiguration, __cudaPopCallConfiguration, ...).
std::span<const Symbol> entry_points();
/// A cudaXxx symbol that has no row: libcudart's own on a real GPU; otherwise a stub that reports the name and returns
/// cudaErrorNotSupported. nullptr if the name is not one of the CUDA runtime's.
const void* find_symbol(std::string_view name);

}  // namespace cudash::api
