// Graphs: nodes with what they do and what they come after, and executable graphs made of them.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime_wrappers/virtual_gpu/runtime/graph_memory.h"
#include "runtime_wrappers/virtual_gpu/runtime/task.h"
#include "runtime_wrappers/virtual_gpu/stream/timeline.h"

namespace cudash::virtual_gpu::runtime {

struct Edge {
    cudaGraphNode_t node = nullptr;
    cudaGraphEdgeData data{};
};

struct Node {
    cudaGraph_t graph = nullptr;
    TaskPtr task{};
    std::vector<Edge> dependencies{}, dependents{};
    std::vector<void*> arguments{};  ///< what cudaGraphKernelNodeGetParams points to
    SourceSpot origin{};             ///< where it was added
};

struct Graph {
    std::vector<cudaGraphNode_t> nodes{};                    ///< in the order in which they were added
    std::map<cudaGraphNode_t, cudaGraphNode_t> originals{};  ///< of a clone: its node for each node of the original
    std::map<cudaUserObject_t, unsigned> user_objects{};     ///< references that the graph holds
    bool in_node = false;                                    ///< a child graph, which its node owns
    bool allocates = false;                                  ///< has allocation or free nodes
    int executables = 0;                                     ///< made of it and alive, where it allocates
};

/// What a handle of cudaGraphConditionalHandleCreate stands for.
struct Condition {
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t node = nullptr;     ///< that it decides for; null: none yet
    std::optional<unsigned> initial{};  ///< its value at the beginning of each launch
};

struct ExecutableNode {
    cudaGraphNode_t source = nullptr;
    TaskPtr task{};
    std::vector<std::size_t> after{};                   ///< indices of earlier nodes
    std::vector<ExecutableNode> children{};             ///< of a child graph node
    std::vector<std::vector<ExecutableNode>> bodies{};  ///< of a conditional node
    bool enabled = true;
    SourceSpot origin{};
};

/// Of a launch.
struct ConditionalBodies {
    std::vector<std::vector<ExecutableNode>> graphs;
};

struct Executable {
    cudaGraph_t source = nullptr;
    std::vector<ExecutableNode> nodes{};                     ///< each after all that it depends on
    std::map<cudaGraphNode_t, ExecutableNode*> by_source{};  ///< the same, children included
    unsigned long long flags = 0;
    int device = 0;
    OperationPtr last{};  ///< the end of the newest launch: "only one instance may be executing at any time"
    std::vector<std::shared_ptr<GraphMemory>> memory{};
    std::map<int, std::uint64_t> most_in_use{};                   ///< by device, bytes of its allocations at one time
    bool frees_all = true;                                        ///< what it allocates is freed inside it
    std::map<cudaGraphConditionalHandle, unsigned> conditions{};  ///< what they begin a launch with
};

struct UserObject {
    void* pointer = nullptr;
    cudaHostFn_t destroy = nullptr;
    unsigned references = 0;
};

class Graphs {
public:
    HandleTable<cudaGraph_t, Graph> graphs{0x5001'4000'1000};
    HandleTable<cudaGraphNode_t, Node> nodes{0x5001'8000'1000};
    HandleTable<cudaGraphExec_t, Executable> executables{0x5001'c000'1000};
    HandleTable<cudaUserObject_t, UserObject> user_objects{0x5002'0000'1000};
    std::map<int, GraphMemoryUse> memory_use;
    std::map<cudaGraphConditionalHandle, Condition> conditions;
    /// As the newest launch left them. Executable graphs outlive the graphs that they were made of.
    std::map<cudaGraphConditionalHandle, unsigned> condition_values;
    cudaGraphConditionalHandle next_condition = 0x5002'4000'1000;
    std::uint64_t captures_begun = 0, launches = 0;

    void clear();
};

/// The objects behind handles; nullptr after saying why.
Graph* find_graph(Gpu& gpu, cudaGraph_t handle);
Node* find_node(Gpu& gpu, cudaGraphNode_t handle);
Executable* find_executable(Gpu& gpu, cudaGraphExec_t handle);

cudaGraph_t make_graph(Gpu& gpu);
void destroy_graph(Gpu& gpu, cudaGraph_t handle);
/// A copy with nodes of its own, child graphs included.
cudaGraph_t clone_graph(Gpu& gpu, const Graph& original);

/// Whether nodes may be made to come after these: all of the graph, none twice.
cudaError_t check_dependencies(Gpu& gpu, cudaGraph_t graph, std::span<const cudaGraphNode_t> dependencies);
cudaError_t check_edge_data(const cudaGraphEdgeData* data, std::size_t count);
/// The nodes and all that they depend on.
std::set<cudaGraphNode_t> with_ancestors(Gpu& gpu, std::span<const cudaGraphNode_t> nodes);
/// Adds a node after checked dependencies.
cudaGraphNode_t add_node(Gpu& gpu, cudaGraph_t graph, std::span<const cudaGraphNode_t> dependencies, Task task,
                         const cudaGraphEdgeData* data = nullptr);
void connect(Gpu& gpu, cudaGraphNode_t from, cudaGraphNode_t to, const cudaGraphEdgeData& data);
/// Takes the edge away; false if there is none.
bool disconnect(Gpu& gpu, cudaGraphNode_t from, cudaGraphNode_t to);

cudaGraphNodeType type_of(const Task& task);
/// The graphs inside a node.
std::vector<cudaGraph_t> owned_graphs(const Task& task);
bool has_conditions(Gpu& gpu, const Graph& graph);
/// Whether conditional nodes of the graph and of those inside it can run.
cudaError_t check_conditions(Gpu& gpu, cudaGraph_t graph, cudaGraphInstantiateResult& why);
/// What conditions of the graph, and of those inside it, begin a launch with.
void initial_conditions(Gpu& gpu, cudaGraph_t graph, std::map<cudaGraphConditionalHandle, unsigned>& values);
cudaError_t make_conditional(Gpu& gpu, cudaConditionalNodeParams& parameters, ConditionalTask& task);

/// Nodes' parameters checked and turned into what they do.
cudaError_t kernel_task(Gpu& gpu, const cudaKernelNodeParams* parameters, KernelTask& task);
cudaError_t copy_task(Gpu& gpu, const cudaMemcpy3DParms* parameters, CopyTask& task);
cudaError_t copy_task_1d(Gpu& gpu, void* dst, const void* src, std::size_t count, cudaMemcpyKind kind, CopyTask& task);
cudaError_t fill_task(Gpu& gpu, const cudaMemsetParams* parameters, FillTask& task);
cudaError_t host_task(const cudaHostNodeParams* parameters, HostTask& task);
/// The same from cudaGraphNodeParams; `task` keeps its type where `current` is given.
cudaError_t generic_task(Gpu& gpu, cudaGraphNodeParams* parameters, Task& task);

}  // namespace cudash::virtual_gpu::runtime
