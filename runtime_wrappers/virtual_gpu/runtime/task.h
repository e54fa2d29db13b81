// What streams and graph nodes can be asked to do, with everything that is needed to do it later.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/executor.h"
#include "runtime_wrappers/virtual_gpu/runtime/transfer.h"

namespace cudash::virtual_gpu {
class Debugger;
}

namespace cudash::virtual_gpu::runtime {

class Gpu;
struct Kernel;

struct EmptyTask {};

struct KernelTask {
    const void* function = nullptr;  ///< the launch stub
    std::shared_ptr<const LoadedModule> module{};
    const KernelInfo* info = nullptr;  ///< in `module`
    std::string display{};             ///< "k<4>"
    dim3 grid, block;
    unsigned shared = 0;  ///< the driver takes 32 bits (recorded on an H200)
    bool cooperative = false;
    dim3 cluster{0, 0, 0};  ///< all 0: none asked for
    std::vector<std::byte> parameters{};
    /// Attributes as they were set: the window of a graph node, say.
    std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes{};

    std::shared_ptr<Debugger> debugger{};    ///< `module` is debug code then
    std::uint64_t number = 0;                ///< among the session's launches, from 1
    cudaAccessPolicyWindow stream_window{};  ///< of its stream when it was launched

    /// Its own window, or that of its stream.
    const cudaAccessPolicyWindow& effective_window() const {
        const auto own = attributes.find(cudaLaunchAttributeAccessPolicyWindow);
        return own == attributes.end() ? stream_window : own->second.accessPolicyWindow;
    }
    /// Its own priority, or that of its stream.
    int priority(int of_stream) const {
        const auto own = attributes.find(cudaLaunchAttributePriority);
        return own == attributes.end() ? of_stream : own->second.priority;
    }
};

struct CopyTask {
    Rows dst, src;
    Box box;
    cudaMemcpyKind kind = cudaMemcpyDefault;
    std::shared_ptr<const std::vector<std::byte>> staged{};  ///< what pageable memory held when the copy was issued
};

struct FillTask {
    Rows dst;
    Box box;  ///< width in bytes
    unsigned value = 0, element = 1;
};

struct HostTask {
    cudaHostFn_t function = nullptr;
    void* argument = nullptr;
};

struct CallbackTask {
    cudaStreamCallback_t function = nullptr;
    cudaStream_t stream = nullptr;
    void* argument = nullptr;
};

struct RecordTask {
    cudaEvent_t event = nullptr;
};

struct WaitTask {
    cudaEvent_t event = nullptr;
};

/// Managed memory moves: nothing but time.
struct PrefetchTask {
    std::uint64_t bytes = 0;
};

/// Memory that a graph's allocation node gives out: its address is the same at every launch.
class GraphMemory;
struct AllocateTask {
    cudaMemAllocNodeParams parameters{};
    std::shared_ptr<GraphMemory> memory{};
};

struct FreeTask {
    void* pointer = nullptr;
};

/// Work of a library: one of its functions over memory of the device (runtime_wrappers/libraries).
struct LibraryTask {
    struct Operand {
        std::string_view name;  ///< "A", of the function's documentation
        Rows rows;
        Box box;
        bool read = false, written = false;
    };
    std::string_view function;  ///< "cublasSgemm"
    std::vector<Operand> operands{};
    double floating_point = 0;  ///< operations, for the modelled clock
    bool doubles = false;
    /// Computes; `bytes` are where this process reaches the operands, in their order. May ask for operands that only
    /// memory of the device names. False: they are not there, which the explanation of the thread says.
    std::function<bool(class LibraryMemory& memory, const std::vector<std::byte*>& bytes)> run{};
};

/// A graph inside a graph; the node owns it.
struct ChildTask {
    cudaGraph_t graph = nullptr;
};

/// A graph for each value of a condition; the node owns them.
struct ConditionalBodies;
struct ConditionalTask {
    cudaGraphConditionalHandle handle = 0;
    cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
    std::vector<cudaGraph_t> bodies{};
    std::shared_ptr<const ConditionalBodies> launched{};  ///< what they do, in a launch
};

/// Conditions get the values that they begin a launch of their graph with.
struct ConditionsTask {
    std::map<cudaGraphConditionalHandle, unsigned> values{};
};

using Task =
    std::variant<EmptyTask, KernelTask, CopyTask, FillTask, HostTask, CallbackTask, RecordTask, WaitTask, PrefetchTask,
                 AllocateTask, FreeTask, ChildTask, LibraryTask, ConditionalTask, ConditionsTask>;
using TaskPtr = std::shared_ptr<const Task>;

/// What a checker found goes to whoever listens, once for each place where the work was asked for.
void tell_finding(Gpu& gpu, Diagnostic finding, const SourceSpot& origin);

/// Does it now, and says what it takes on the modelled clock. An error becomes the context's. `origin`: where it was
/// asked for.
Usage run_task(Gpu& gpu, const Task& task, int device, const SourceSpot& origin);

/// The same for an operation whose turn has come: looks for races with those in other streams too.
Usage run_operation(Gpu& gpu, const Task& task, const Operation& operation, const SourceSpot& origin);

/// Checks a launch and gathers what it needs. `arguments` as for cudaLaunchKernel.
struct LaunchConfiguration {
    dim3 grid, block;
    unsigned shared = 0;
    bool cooperative = false;
    dim3 cluster{0, 0, 0};  ///< all 0: none asked for
};
/// Recorded on an H200, and the Programming Guide's "Thread Block Clusters".
inline constexpr unsigned portable_blocks_of_a_cluster = 8, most_blocks_of_a_cluster = 16;
/// Of the launch or, where it asks for none, of the kernel; all 0: neither has clusters.
dim3 cluster_of(const Kernel& kernel, const LaunchConfiguration& launch);
/// Whether the clusters fit the device, the kernel and the grid.
cudaError_t check_cluster(Gpu& gpu, const Kernel& kernel, const LaunchConfiguration& launch);
cudaError_t prepare_kernel(Gpu& gpu, const void* function, const LaunchConfiguration& launch, void** arguments,
                           KernelTask& task);

}  // namespace cudash::virtual_gpu::runtime
