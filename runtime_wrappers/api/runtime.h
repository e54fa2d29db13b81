// The CUDA runtime API as interpreted code meets it: entry points with the real names and signatures, each going
// through one table row to the chosen backend (the real libcudart, or the virtual GPU).
#pragma once

#include <array>
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
class CodeGenerator;
class Debugger;
class Profiler;
}  // namespace cudash::virtual_gpu

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
/// Of a selection of virtual devices, as Runtime::device_description says it.
std::string describe_virtual(const DeviceSelection& selection);

/// What the text of a call says and its arguments' values don't. Texts are without white space.
struct CallText {
    std::string target;      ///< the variable whose address the first argument is: what gets the result
    bool discarded = false;  ///< the program does nothing with the error that the call returns
    /// Of the argument that counts bytes: "n", if no sizeof is in it; of n * sizeof(float), "n" and 4.
    std::string size, elements;
    std::uint64_t element_bytes = 0;
    /// An array that is an argument: how many elements it has, and their size.
    struct Extent {
        std::uint64_t count = 0, bytes = 0;
    };
    std::array<Extent, 2> arrays{};  ///< the first and the second argument
};
/// The call of the program that is being served.
struct CallPlace : CallText {
    SourceSpot where;     ///< line 0: only the cell is known, or it has no other line
    bool launch = false;  ///< it is written k<<<...>>>(...)
};

/// A launch that has run.
struct Launched {
    std::string kernel;
    std::array<unsigned, 3> grid{}, block{};
    std::uint64_t shared = 0;  ///< dynamic, in bytes
    double nanoseconds = 0;    ///< on the modelled clock
    std::size_t findings = 0;
    bool failed = false;
};

/// What the runtime tells the session while code runs.
struct Events {
    /// A failed call, a failed launch, a finding: once each, as it happens.
    std::function<void(const Diagnostic&)> diagnostic;
    /// printf from device code.
    std::function<void(std::string_view)> print;
    /// assert from device code.
    std::function<void(std::string_view)> print_error;
    std::function<void(std::string_view kernel, std::uint64_t done, std::uint64_t all)> progress;
    /// Where interpreted code is now: for messages, and for the origin of memory and of work. May be empty.
    std::function<CallPlace()> place;
    /// The place in the program's text of the first of these instructions that is its own; nullopt if none is.
    std::function<std::optional<SourceSpot>(std::span<const std::uint64_t> instructions)> spot;
    /// Every call of a cudaXxx function, or of a library's, as it returns: "cudaMalloc(devPtr=0x7ffd..., size=16)" and
    /// "cudaSuccess". Empty: no tracing, no cost.
    std::function<void(std::string_view call, std::string_view result)> trace;
    /// Each launch as its kernel has run (virtual GPU), if Runtime::set_tracing wants launches.
    std::function<void(const Launched&)> launched;
};

/// Makes the virtual GPU's compiler for kernels when one is first wanted (virtual_gpu/jit); may give nullptr.
using MakeCodeGenerator = std::shared_ptr<virtual_gpu::CodeGenerator> (*)();

struct Options {
    DeviceSelection device;
    std::uint64_t kernel_timeout_ms = 0;   ///< 0: none
    bool report_errors = true;             ///< send failed calls to Events::diagnostic
    bool keep_failed_calls = false;        ///< tell at a program's end of those that it did not look at, or only named
    std::string check = "default";         ///< what the virtual GPU looks for: virtual_gpu/check/checkers.h
    bool profile = false;                  ///< the virtual GPU counts what kernels do: Runtime::profiler
    MakeCodeGenerator compiler = nullptr;  ///< nullptr: the virtual GPU interprets all kernels
};

struct Symbol {
    std::string_view name;
    const void* address;
};

/// A live allocation, as the shell lists it.
struct ListedAllocation {
    std::uint64_t address = 0, size = 0;             ///< bytes
    std::string kind;                                ///< "device", "pinned", "managed"...
    std::string details;                             ///< pitch, flags
    std::uint64_t pitch = 0, width = 0, height = 0;  ///< of pitched memory; bytes, bytes, rows
    std::string origin;                              ///< "cell 3", a variable's name
};

class Runtime {
public:
    virtual ~Runtime() = default;

    /// Whether Events::trace and Events::launched are called, as far as they are there.
    virtual void set_tracing(bool calls, bool launches) = 0;
    virtual bool is_virtual() const = 0;
    /// "virtual h200" or "gpu 0: NVIDIA H200", for the prompt and `doctor`.
    virtual std::string device_description() const = 0;
    /// What device code must be compiled for.
    virtual Target target() const = 0;

    /// Waits for all work; what a program's end, or a cell's end, does. Returns the cudaError_t.
    virtual int synchronize() = 0;
    /// Drops what is queued and has not begun (virtual GPU): the user stopped the cell.
    virtual void abandon() = 0;
    /// What is left to say when a program has ended: errors that nothing looked at and, if it ended as it should,
    /// memory that was never freed.
    virtual std::vector<Diagnostic> end_of_program(bool as_it_should) = 0;
    /// Memory that was allocated and not freed so far, and objects that were not destroyed.
    virtual std::vector<Diagnostic> leaks() const = 0;
    /// The sticky error that poisons the context, 0 if none.
    virtual int sticky_error() const = 0;
    /// Virtual GPU: clears a sticky error, all memory kept. False on a real GPU: its context is gone.
    virtual bool recover() = 0;
    /// Stops a running kernel (virtual GPU); async-signal-safe.
    virtual void cancel() noexcept = 0;
    /// True if `address` is device memory that host code must not touch, with a sentence about it.
    virtual std::optional<std::string> describe_address(std::uint64_t address) const = 0;
    /// Of an address that host code could not use: what it is to memory that host and device share, if that was freed
    /// or ends shortly before.
    virtual std::optional<std::string> describe_unusable(std::uint64_t /*address*/) const { return std::nullopt; }
    struct ListedChecker {
        std::string_view name, finds;
        bool on = false, whole = false;  ///< whole: all of a launch is looked at
    };
    /// Changes what is looked for, as --check does; the error lists what there is.
    virtual std::optional<Diagnostic> set_check(std::string_view text) = 0;
    /// Those that the device has: on a real GPU the checkers of host code that need only its calls.
    virtual std::vector<ListedChecker> checkers() const = 0;
    /// What it counts and has counted (virtual_gpu/profile/profiler.h); nullptr on a real GPU.
    virtual virtual_gpu::Profiler* profiler() { return nullptr; }
    /// Says who debugs a launch, which then runs as debug code; nullptr: nobody does. `has_source`: the kernel is the
    /// session's own, and not a library's.
    using DebugLaunch =
        std::function<std::shared_ptr<virtual_gpu::Debugger>(const std::string& kernel, bool has_source)>;
    /// From now on it is asked at each launch (virtual GPU); empty: no launch is debugged.
    virtual void debug_launches(DebugLaunch) {}
    /// Kernels launched so far, and the one, from 1, that Events::diagnostic is told of just now; 0: none (virtual
    /// GPU).
    virtual std::uint64_t launches() const { return 0; }
    virtual std::uint64_t launch_told_of() const { return 0; }
    /// A Ctrl-C that stopped nothing but a debugger is forgotten (virtual GPU).
    virtual void forget_interrupt() {}
    struct ListedStream {
        std::uint64_t handle = 0;  ///< 0: the legacy default stream
        std::string name;          ///< "stream 1", "default"
        int device = 0;
        bool blocking = true, capturing = false;
        int priority = 0;
    };
    /// Default streams that were used and those that were created; of a real GPU, the default stream alone.
    virtual std::vector<ListedStream> streams() = 0;
    /// Every live allocation, by address; empty on a real GPU, which does not tell.
    virtual std::vector<ListedAllocation> allocations() const = 0;
    /// The one that holds `address`. A real GPU tells of device memory only.
    virtual std::optional<ListedAllocation> allocation_of(std::uint64_t address) const = 0;
    /// Runs of these bytes that nothing has written since they were allocated, as places from `address` on and lengths:
    /// at most `most`. A real GPU does not tell.
    virtual std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten(std::uint64_t, std::uint64_t,
                                                                           std::size_t) const {
        return {};
    }
    /// Copies device, pinned or managed bytes for display; false if any is not mapped.
    virtual bool peek(std::uint64_t address, void* destination, std::size_t bytes) const = 0;
};

/// The entry points that the host engine defines for interpreted code: every row of cuda_api.def and the launch glue
/// (__cudaPushCallConfiguration, __cudaPopCallConfiguration, ...).
std::span<const Symbol> entry_points();
/// The frame of the entry point that serves this thread's call; nullptr while none does.
const void* frame_of_call();
/// The program is about to free memory of its own. `frame`: as frame_of_call.
void host_frees(const void* pointer, const void* frame);

/// A cudaXxx symbol that has no row: libcudart's own on a real GPU; otherwise a stub that reports the name and returns
/// cudaErrorNotSupported. nullptr if the name is not one of the CUDA runtime's.
const void* find_symbol(std::string_view name);

}  // namespace cudash::api
