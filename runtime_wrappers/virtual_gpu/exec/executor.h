// Runs kernels of a loaded module on the virtual GPU. One Executor serves one process; launches run one at a time,
// their blocks spread over the host's cores where no result can depend on it, in a fixed order where one can.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/result.h"
#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/exec/child_work.h"
#include "runtime_wrappers/virtual_gpu/isa/loaded_module.h"
#include "runtime_wrappers/virtual_gpu/memory/address_space.h"
#include "runtime_wrappers/virtual_gpu/memory/image.h"

namespace cudash::virtual_gpu {

class DeviceRuntime;
class Observer;
class Stops;

struct LaunchRequest {
    std::shared_ptr<const LoadedModule> module;
    std::string_view kernel;
    Dim3 grid, block;
    std::uint32_t dynamic_shared = 0;  ///< bytes
    std::span<const std::byte> parameters;
    bool cooperative = false;
    int device = 0;                                 ///< that it runs on
    DeviceSet reach = every_device;                 ///< that device and its peers: their memory is open to the kernel
    Dim3 cluster{1, 1, 1};                          ///< blocks of a cluster; divides the grid
    bool has_clusters = false;                      ///< clusters were asked for, if only of one block
    const ImageTable* images = nullptr;             ///< texture and surface objects that kernels may name; may be none
    Observer* observer = nullptr;                   ///< may be none
    std::uint64_t looked_for = 0;                   ///< by the observer: what another one looks for is not a repeat
    const DeviceRuntime* device_runtime = nullptr;  ///< answers device code's questions; may be none
    bool is_child = false;   ///< of a launch before it, whose end it is: a request to stop that one holds for it
    Stops* stops = nullptr;  ///< who debugs it; the module is debug code then
    std::uint64_t child_work_room = 2048;  ///< operations that device code may ask for
};

/// How a launch ended; each maps to one CUDA error.
enum class LaunchStatus : std::uint8_t {
    ok,
    illegal_address,        ///< 700
    misaligned_address,     ///< 716
    invalid_address_space,  ///< 717
    invalid_pc,             ///< 718
    illegal_instruction,    ///< 715
    hardware_stack_error,   ///< 714
    launch_failure,         ///< 719: trap
    assert_failed,          ///< 710
    timeout,                ///< 702
    deadlock,               ///< reported as 702
    cancelled,              ///< Ctrl-C
    unsupported             ///< an instruction we lack: cudaErrorNotSupported
};

/// An allocation that a launch has used.
struct UsedMemory {
    Address begin = 0;
    bool read = false, written = false;
};

struct LaunchOutcome {
    LaunchStatus status = LaunchStatus::ok;
    std::vector<Diagnostic> diagnostics;  ///< why, when status is not ok
    std::vector<Diagnostic> findings;     ///< what the observer found: nothing that changes the status
    std::uint64_t warp_instructions = 0, thread_instructions = 0;
    std::vector<ChildWork> child_work;  ///< what the grid asked for: it is complete when that is done, too
    std::uint64_t spun_cycles = 0;      ///< of the warp that waited longest for a clock, its whole life; 0: none did
    std::vector<UsedMemory> used;       ///< global memory
    std::uint64_t grid_id = 0;          ///< counts launches that ran, from 1; 0: it did not run
};

/// What device code can tell the outside world.
struct DeviceOutput {
    /// Text of printf, in block order; called on the launching thread.
    std::function<void(std::string_view)> print;
    /// The same of assert.
    std::function<void(std::string_view)> print_error;
    /// All threads wait for memory that none of them will change; `moved`: some went on since the last time. True if
    /// others have had a chance to change it, and false if there is nobody who could. On the launching thread; may be
    /// empty, for nobody.
    std::function<bool(bool moved)> waits;
    /// Blocks done of all, at most ten times a second; may be empty.
    std::function<void(std::uint64_t done, std::uint64_t all)> progress;
};

struct ExecutorLimits {
    std::uint64_t stack_per_thread = 1024;  ///< cudaLimitStackSize: of kernels that recurse, call by address or alloca
    std::uint64_t printf_fifo = 8650752;    ///< cudaLimitPrintfFifoSize
    std::uint64_t malloc_heap = 8388608;    ///< cudaLimitMallocHeapSize
    std::chrono::nanoseconds timeout{0};    ///< wall time of one launch; 0: none
    std::chrono::nanoseconds spent{0};      ///< of the timeout, by the launches that this one is a child of
    unsigned host_threads = 0;              ///< 0: one per core
};

enum class TierPolicy : std::uint8_t;
class CodeGenerator;
/// Called once, when a kernel is first compiled; may give nullptr.
using MakeCodeGenerator = std::shared_ptr<CodeGenerator> (*)();

class Executor {
public:
    static std::unique_ptr<Executor> create(AddressSpace& memory);
    /// With a compiler for kernels (exec/tiers.h).
    static std::unique_ptr<Executor> create(AddressSpace& memory, MakeCodeGenerator compiler, TierPolicy policy);
    virtual ~Executor() = default;
    /// Blocks until the grid is done. The configuration was checked by the caller against the profile's limits.
    virtual LaunchOutcome run(const LaunchRequest& request, const Profile& profile, const ExecutorLimits& limits,
                              const DeviceOutput& output) = 0;
    /// What the launch comes to, where it repeats an earlier one and need not run for it (exec/repeats.h); `used` is
    /// what was stored to. `is_enough` is asked about the earlier outcome before anything changes.
    virtual std::optional<LaunchOutcome> repeat(const LaunchRequest& request, const Profile& profile,
                                                const ExecutorLimits& limits,
                                                const std::function<bool(const LaunchOutcome&)>& is_enough) = 0;
    /// Asks a running launch to stop; async-signal-safe. It ends as `cancelled`.
    virtual void cancel() noexcept = 0;
};

}  // namespace cudash::virtual_gpu
