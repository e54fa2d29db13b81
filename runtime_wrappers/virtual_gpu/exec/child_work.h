// What a grid asks of the device while it runs (CUDA Programming Guide, "CUDA Dynamic Parallelism"): child grids,
// copies and fills. It comes after the grid's own blocks, in the order in which it was asked for, each with all that it
// asks for itself; what was launched into cudaStreamTailLaunch comes last. A grid is complete when all of this is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/virtual_gpu/memory/address_space.h"

namespace cudash::virtual_gpu {

struct ChildLaunch {
    std::string kernel;  ///< as the module names it
    Dim3 grid, block;
    std::uint32_t dynamic_shared = 0;  ///< bytes
    std::vector<std::byte> parameters;
};
struct ChildCopy {
    Address to = 0, from = 0;
    std::uint64_t bytes = 0;
};
struct ChildFill {
    Address to = 0;
    std::uint64_t bytes = 0;
    std::uint8_t value = 0;
};

/// The value of a condition of the graph that runs (cudaGraphSetConditional).
struct ChildCondition {
    std::uint64_t handle = 0;
    std::uint32_t value = 0;
};

struct ChildWork {
    std::variant<ChildLaunch, ChildCopy, ChildFill, ChildCondition> what;
    bool tail = false;
};

/// What the device runtime answers that this library does not know. Errors are numbers of cudaError_t.
class DeviceRuntime {
public:
    virtual ~DeviceRuntime() = default;
    struct Answer {
        int error = 0;
        std::int64_t value = 0;
    };
    virtual Answer device_count() const = 0;
    virtual Answer attribute(int which, int device) const = 0;
    virtual Answer limit(int which) const = 0;
    virtual Answer blocks_per_multiprocessor(std::string_view kernel, int threads, std::uint64_t shared) const = 0;
    virtual std::string_view error_name(int error) const = 0;
    virtual std::string_view error_text(int error) const = 0;
    /// Threads of one grid that may have launched something (cudaLimitDevRuntimePendingLaunchCount).
    virtual std::uint64_t pending_launches() const = 0;
};

}  // namespace cudash::virtual_gpu
