// Executable graphs: instantiated, updated and launched. A launch queues one operation for each node, in an order in
// which each comes after all that it depends on.
#include <algorithm>
#include <set>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/capture.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph_change.h"

namespace cudash::virtual_gpu::runtime {
namespace {

constexpr unsigned long long known_flags = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
                                           cudaGraphInstantiateFlagDeviceLaunch |
                                           cudaGraphInstantiateFlagUseNodePriority;

/// The nodes in topological order, of those that could be next the one that was added first; false if there is a cycle,
/// with a node of it.
bool lay_out(Gpu& gpu, const Graph& graph, std::vector<ExecutableNode>& nodes, cudaGraphNode_t& in_cycle) {
    std::map<cudaGraphNode_t, std::size_t> added, missing, placed;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) added[graph.nodes[i]] = i;
    std::set<std::size_t> next;
    for (const cudaGraphNode_t handle : graph.nodes) {
        missing[handle] = gpu.graphs->nodes.find(handle)->dependencies.size();
        if (missing[handle] == 0) next.insert(added[handle]);
    }
    while (!next.empty()) {
        const cudaGraphNode_t handle = graph.nodes[*next.begin()];
        next.erase(next.begin());
        const Node& node = *gpu.graphs->nodes.find(handle);
        ExecutableNode made{.source = handle, .task = node.task, .origin = node.origin};
        for (const Edge& edge : node.dependencies) made.after.push_back(placed.at(edge.node));
        std::sort(made.after.begin(), made.after.end());
        if (const auto* child = std::get_if<ChildTask>(node.task.get()))
            if (!lay_out(gpu, *gpu.graphs->graphs.find(child->graph), made.children, in_cycle)) return false;
        if (const auto* conditional = std::get_if<ConditionalTask>(node.task.get()))
            for (const cudaGraph_t body : conditional->bodies)
                if (!lay_out(gpu, *gpu.graphs->graphs.find(body), made.bodies.emplace_back(), in_cycle)) return false;
        placed[handle] = nodes.size();
        nodes.push_back(std::move(made));
        for (const Edge& edge : node.dependents)
            if (--missing[edge.node] == 0) next.insert(added[edge.node]);
    }
    if (nodes.size() == graph.nodes.size()) return true;
    for (const cudaGraphNode_t handle : graph.nodes)
        if (!placed.contains(handle)) {
            in_cycle = handle;
            break;
        }
    return false;
}

template <class Visit>
void each_task(const std::vector<ExecutableNode>& nodes, Visit visit) {
    for (const ExecutableNode& node : nodes) {
        visit(*node.task);
        each_task(node.children, visit);
        for (const auto& body : node.bodies) each_task(body, visit);
    }
}

/// Allocations that the graph itself does not free.
std::vector<std::shared_ptr<GraphMemory>> kept_memory(const std::vector<ExecutableNode>& nodes) {
    std::map<Address, int> frees;  // allocations may share an address
    each_task(nodes, [&](const Task& task) {
        if (const auto* free = std::get_if<FreeTask>(&task)) ++frees[reinterpret_cast<Address>(free->pointer)];
    });
    std::vector<std::shared_ptr<GraphMemory>> kept;
    each_task(nodes, [&](const Task& task) {
        const auto* allocate = std::get_if<AllocateTask>(&task);
        if (allocate && --frees[allocate->memory->address()] < 0) kept.push_back(allocate->memory);
    });
    return kept;
}

/// By device, the most bytes of the graph's own allocations that are in use at one time, where nodes come in their
/// order.
std::map<int, std::uint64_t> most_in_use(const std::vector<ExecutableNode>& nodes) {
    std::map<int, std::uint64_t> now, most;
    std::map<Address, const GraphMemory*> allocated;
    each_task(nodes, [&](const Task& task) {
        if (const auto* allocate = std::get_if<AllocateTask>(&task)) {
            const GraphMemory& memory = *allocate->memory;
            allocated[memory.address()] = &memory;
            now[memory.device()] += memory.size();
            most[memory.device()] = std::max(most[memory.device()], now[memory.device()]);
        } else if (const auto* freed = std::get_if<FreeTask>(&task)) {
            const auto found = allocated.find(reinterpret_cast<Address>(freed->pointer));
            if (found == allocated.end()) return;
            now[found->second->device()] -= found->second->size();
            allocated.erase(found);
        }
    });
    return most;
}

void index(std::vector<ExecutableNode>& nodes, std::map<cudaGraphNode_t, ExecutableNode*>& by_source) {
    for (ExecutableNode& node : nodes) {
        by_source.emplace(node.source, &node);
        index(node.children, by_source);
        for (auto& body : node.bodies) index(body, by_source);
    }
}

bool has_work(Gpu& gpu, const Graph& graph) {
    return std::ranges::any_of(graph.nodes, [&](cudaGraphNode_t handle) {
        const Node* node = gpu.graphs->nodes.find(handle);
        return node && !std::holds_alternative<EmptyTask>(*node->task);
    });
}

cudaError_t instantiate(Gpu& gpu, cudaGraphExec_t* out, cudaGraph_t handle, unsigned long long flags,
                        cudaGraphNode_t& in_cycle, cudaGraphInstantiateResult& why) {
    why = cudaGraphInstantiateError;
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    if (!out) return cudaErrorInvalidValue;
    Graph* graph = find_graph(gpu, handle);
    if (!graph) return cudaErrorInvalidValue;
    if (flags & ~known_flags) return refuse(cudaErrorInvalidValue, "{:#x} is not a valid combination of flags", flags);
    constexpr unsigned both = cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagAutoFreeOnLaunch;
    if ((flags & both) == both)
        return refuse(cudaErrorInvalidValue,
                      "cudaGraphInstantiateFlagDeviceLaunch goes without "
                      "cudaGraphInstantiateFlagAutoFreeOnLaunch");
    // Recorded on an H200.
    if ((flags & cudaGraphInstantiateFlagDeviceLaunch) && !has_work(gpu, *graph))
        return refuse(cudaErrorInvalidValue, "a graph that kernels launch needs a kernel, copy or memset");
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return refuse(cudaErrorNotSupported, "graphs that kernels launch are not implemented on the virtual GPU");
    if (graph->allocates && graph->executables > 0)
        return refuse(cudaErrorNotSupported, "a graph with memory nodes has one executable graph at a time");
    if (const cudaError_t bad = check_conditions(gpu, handle, why); bad != cudaSuccess) return bad;
    Executable executable{.source = handle, .flags = flags, .device = gpu.current()};
    if (!lay_out(gpu, *graph, executable.nodes, in_cycle))
        return refuse_with_hint(cudaErrorInvalidValue, "the dependencies of the graph form a cycle",
                                "take one away with cudaGraphRemoveDependencies");
    executable.memory = kept_memory(executable.nodes);
    executable.most_in_use = most_in_use(executable.nodes);
    initial_conditions(gpu, handle, executable.conditions);
    index(executable.nodes, executable.by_source);
    ++graph->executables;
    *out = gpu.graphs->executables.add(std::move(executable));
    return cudaSuccess;
}

struct LaunchedIn {
    int device;
    int priority;        ///< of the stream
    bool node_priority;  ///< cudaGraphInstantiateFlagUseNodePriority
    IssuedIn issued_in;
};

/// Whether some nodes are in no order with each other, as far as is seen without following all dependencies.
bool has_branches(const std::vector<ExecutableNode>& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const bool follows = i == 0 || (!nodes[i].after.empty() && nodes[i].after.back() == i - 1);
        if (!follows || has_branches(nodes[i].children)) return true;
    }
    return false;
}

/// Queues the nodes behind `before`; returns the operations that nothing in the graph comes after.
std::vector<OperationPtr> issue(Gpu& gpu, const std::vector<ExecutableNode>& nodes, const LaunchedIn& in,
                                const std::vector<OperationPtr>& before) {
    static const TaskPtr empty = std::make_shared<const Task>(EmptyTask{});
    std::vector<OperationPtr> issued;
    std::vector<bool> last(nodes.size(), true);
    for (const ExecutableNode& node : nodes) {
        std::vector<OperationPtr> after;
        for (const std::size_t index : node.after) {
            after.push_back(issued[index]);
            last[index] = false;
        }
        if (node.after.empty()) after = before;
        if (!node.children.empty()) after = issue(gpu, node.children, in, after);
        const auto* wait = std::get_if<WaitTask>(node.task.get());
        if (Event* event = wait ? gpu.scheduler.timeline.events.find(wait->event) : nullptr; event && event->record)
            after.push_back(event->record);
        TaskPtr task = node.enabled ? node.task : empty;
        if (const auto* conditional = std::get_if<ConditionalTask>(task.get())) {
            ConditionalTask launched = *conditional;
            launched.launched = std::make_shared<const ConditionalBodies>(node.bodies);
            task = std::make_shared<const Task>(std::move(launched));
        }
        const auto* kernel = in.node_priority ? std::get_if<KernelTask>(node.task.get()) : nullptr;
        const int priority = kernel ? kernel->priority(0) : in.priority;
        issued.push_back(gpu.scheduler.issue_after(in.device, std::move(task), after, priority, node.origin));
        issued.back()->issued_in = in.issued_in;
        const auto* record = std::get_if<RecordTask>(node.task.get());
        if (Event* event = record ? gpu.scheduler.timeline.events.find(record->event) : nullptr) {
            event->record = issued.back();
            event->capture.reset();
        }
    }
    std::vector<OperationPtr> ends;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (last[i]) ends.push_back(issued[i]);
    return ends.empty() ? before : ends;
}

/// "[...] unfreed memory allocations must be freed before relaunching", or are, with the flag for that.
cudaError_t check_memory(Gpu& gpu, const Executable& executable) {
    if (executable.memory.empty()) return cudaSuccess;
    if (const cudaError_t status = gpu.scheduler.run_all(executable.device); status != cudaSuccess) return status;
    for (const auto& memory : executable.memory) {
        if (!memory->in_use()) continue;
        if (!(executable.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch))
            return refuse_with_hint(cudaErrorInvalidValue, "memory that the last launch allocated was not freed",
                                    "free it, or instantiate the graph with cudaGraphInstantiateFlagAutoFreeOnLaunch");
        memory->end_use();
    }
    return cudaSuccess;
}

ExecutableNode* find_executable_node(Gpu& gpu, cudaGraphExec_t handle, cudaGraphNode_t source) {
    Executable* executable = find_executable(gpu, handle);
    if (!executable) return nullptr;
    const auto found = executable->by_source.find(source);
    if (found != executable->by_source.end()) return found->second;
    refuse(cudaErrorInvalidValue, "{} is not a node of the graph that was instantiated", fmt::ptr(source));
    return nullptr;
}

/// Gives a node of the executable graph another task of the same type, which `make(task)` checks and fills.
template <class T, class Make>
cudaError_t set_task(Gpu& gpu, cudaGraphExec_t executable, cudaGraphNode_t source, Make make) {
    ExecutableNode* node = find_executable_node(gpu, executable, source);
    if (!node) return cudaErrorInvalidValue;
    const T* before = std::get_if<T>(node->task.get());
    if (!before) return refuse(cudaErrorInvalidValue, "the node is of another type");
    T task;
    if (const cudaError_t bad = make(task); bad != cudaSuccess) return bad;
    if constexpr (std::is_same_v<T, KernelTask>) task.attributes = before->attributes;
    auto made = std::make_shared<const Task>(std::move(task));
    if (const char* reason = not_settable(gpu, *node->task, *made)) return refuse(cudaErrorInvalidValue, "{}", reason);
    node->task = std::move(made);
    return cudaSuccess;
}

struct UpdateProblem {
    cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
    cudaGraphNode_t node = nullptr;
};

UpdateProblem compare(const Gpu& gpu, const std::vector<ExecutableNode>& now,
                      const std::vector<ExecutableNode>& wanted) {
    const std::size_t common = std::min(now.size(), wanted.size());
    for (std::size_t i = 0; i < common; ++i) {
        if (now[i].after != wanted[i].after) return {cudaGraphExecUpdateErrorTopologyChanged, wanted[i].source};
        if (type_of(*now[i].task) != type_of(*wanted[i].task))
            return {cudaGraphExecUpdateErrorNodeTypeChanged, wanted[i].source};
        if (std::holds_alternative<AllocateTask>(*now[i].task) && now[i].task != wanted[i].task)
            return {cudaGraphExecUpdateErrorParametersChanged, wanted[i].source};
        if (unchangeable(gpu, *now[i].task, *wanted[i].task))
            return {cudaGraphExecUpdateErrorParametersChanged, wanted[i].source};
        if (const UpdateProblem inside = compare(gpu, now[i].children, wanted[i].children);
            inside.result != cudaGraphExecUpdateSuccess)
            return inside;
        if (now[i].bodies.size() != wanted[i].bodies.size())
            return {cudaGraphExecUpdateErrorParametersChanged, wanted[i].source};
        for (std::size_t body = 0; body < now[i].bodies.size(); ++body)
            if (const UpdateProblem inside = compare(gpu, now[i].bodies[body], wanted[i].bodies[body]);
                inside.result != cudaGraphExecUpdateSuccess)
                return inside;
    }
    if (now.size() != wanted.size())
        return {cudaGraphExecUpdateErrorTopologyChanged, wanted.size() > common ? wanted[common].source : nullptr};
    return {};
}

void take_tasks(std::vector<ExecutableNode>& now, const std::vector<ExecutableNode>& wanted) {
    for (std::size_t i = 0; i < now.size(); ++i) {
        now[i].task = wanted[i].task;
        take_tasks(now[i].children, wanted[i].children);
        for (std::size_t body = 0; body < now[i].bodies.size(); ++body)
            take_tasks(now[i].bodies[body], wanted[i].bodies[body]);
    }
}

}  // namespace

cudaError_t cudaGraphInstantiate(Gpu& gpu, cudaGraphExec_t* pGraphExec, cudaGraph_t graph, unsigned long long flags) {
    cudaGraphNode_t in_cycle = nullptr;
    if (flags & cudaGraphInstantiateFlagUpload)
        return refuse(cudaErrorInvalidValue, "only cudaGraphInstantiateWithParams uploads: it is given a stream");
    cudaGraphInstantiateResult why;
    return instantiate(gpu, pGraphExec, graph, flags, in_cycle, why);
}

cudaError_t cudaGraphInstantiateWithFlags(Gpu& gpu, cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                          unsigned long long flags) {
    return cudaGraphInstantiate(gpu, pGraphExec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(Gpu& gpu, cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* instantiateParams) {
    if (!instantiateParams) return refuse(cudaErrorInvalidValue, "the parameters are null");
    cudaGraphNode_t in_cycle = nullptr;
    cudaGraphInstantiateResult why;
    const cudaError_t status = instantiate(gpu, pGraphExec, graph, instantiateParams->flags, in_cycle, why);
    instantiateParams->errNode_out = in_cycle;
    instantiateParams->result_out = status == cudaSuccess ? cudaGraphInstantiateSuccess
                                    : in_cycle            ? cudaGraphInstantiateInvalidStructure
                                                          : why;
    return status;
}

cudaError_t cudaGraphExecGetFlags(Gpu& gpu, cudaGraphExec_t graphExec, unsigned long long* flags) {
    const Executable* executable = find_executable(gpu, graphExec);
    if (!executable || !flags) return cudaErrorInvalidValue;
    // That of node priorities is not told (recorded on an H200).
    *flags = executable->flags & ~static_cast<unsigned long long>(cudaGraphInstantiateFlagUseNodePriority);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(Gpu& gpu, cudaGraphExec_t graphExec) {
    const Executable* executable = find_executable(gpu, graphExec);
    if (!executable) return cudaErrorInvalidValue;
    if (Graph* source = gpu.graphs->graphs.find(executable->source)) --source->executables;
    gpu.graphs->executables.remove(graphExec);
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(Gpu& gpu, cudaGraphExec_t graphExec, cudaStream_t stream) {
    if (!find_executable(gpu, graphExec)) return cudaErrorInvalidValue;
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    return refuse_captured(gpu, *on);
}

cudaError_t cudaGraphLaunch(Gpu& gpu, cudaGraphExec_t graphExec, cudaStream_t stream) {
    Executable* executable = find_executable(gpu, graphExec);
    if (!executable) return cudaErrorInvalidValue;
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    // Recorded on an H200: no mode lets a launch be captured.
    if (on->capture) return refuse_captured(gpu, *on);
    if (on->legacy)
        if (const cudaError_t bad = refuse_implicit_dependency(gpu, on->device); bad != cudaSuccess) return bad;
    if (const cudaError_t bad = check_memory(gpu, *executable); bad != cudaSuccess) return bad;
    for (const auto& [device, bytes] : executable->most_in_use) gpu.graphs->memory_use[device].reserve(bytes);
    gpu.scheduler.timeline.host_works(call_time);
    auto before = gpu.scheduler.timeline.frontier(*on);
    if (executable->last) before.push_back(executable->last);
    if (!executable->conditions.empty())
        before = {gpu.scheduler.issue_after(
            on->device, std::make_shared<const Task>(ConditionsTask{executable->conditions}), before, on->priority)};
    const bool node_priority = executable->flags & cudaGraphInstantiateFlagUseNodePriority;
    if (has_branches(executable->nodes)) gpu.scheduler.timeline.expect_company();
    IssuedIn issued_in = Timeline::issued_in(*on);
    issued_in.graph_launch = ++gpu.graphs->launches;
    const auto ends = issue(gpu, executable->nodes, {on->device, on->priority, node_priority, issued_in}, before);
    executable->last =
        gpu.scheduler.issue_after(on->device, std::make_shared<const Task>(EmptyTask{}), ends, on->priority);
    gpu.scheduler.timeline.set_last(*on, executable->last);
    return cudaSuccess;
}

cudaError_t cudaGraphExecKernelNodeSetParams(Gpu& gpu, cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* pNodeParams) {
    return set_task<KernelTask>(gpu, hGraphExec, node,
                                [&](KernelTask& task) { return kernel_task(gpu, pNodeParams, task); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(Gpu& gpu, cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* pNodeParams) {
    return set_task<CopyTask>(gpu, hGraphExec, node, [&](CopyTask& task) { return copy_task(gpu, pNodeParams, task); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(Gpu& gpu, cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void* dst,
                                               const void* src, std::size_t count, cudaMemcpyKind kind) {
    return set_task<CopyTask>(gpu, hGraphExec, node,
                              [&](CopyTask& task) { return copy_task_1d(gpu, dst, src, count, kind, task); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(Gpu& gpu, cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                     const void* symbol, const void* src, std::size_t count,
                                                     std::size_t offset, cudaMemcpyKind kind) {
    return set_task<CopyTask>(gpu, hGraphExec, node, [&](CopyTask& task) {
        const void* dst = nullptr;
        const cudaError_t bad = part_of_symbol(gpu, symbol, count, offset, kind, cudaMemcpyHostToDevice, dst);
        return bad != cudaSuccess ? bad : copy_task_1d(gpu, const_cast<void*>(dst), src, count, kind, task);
    });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(Gpu& gpu, cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                       void* dst, const void* symbol, std::size_t count,
                                                       std::size_t offset, cudaMemcpyKind kind) {
    return set_task<CopyTask>(gpu, hGraphExec, node, [&](CopyTask& task) {
        const void* src = nullptr;
        const cudaError_t bad = part_of_symbol(gpu, symbol, count, offset, kind, cudaMemcpyDeviceToHost, src);
        return bad != cudaSuccess ? bad : copy_task_1d(gpu, dst, src, count, kind, task);
    });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(Gpu& gpu, cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaMemsetParams* pNodeParams) {
    return set_task<FillTask>(gpu, hGraphExec, node, [&](FillTask& task) { return fill_task(gpu, pNodeParams, task); });
}

cudaError_t cudaGraphExecHostNodeSetParams(Gpu& gpu, cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* pNodeParams) {
    return set_task<HostTask>(gpu, hGraphExec, node, [&](HostTask& task) { return host_task(pNodeParams, task); });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(Gpu& gpu, cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                 cudaGraph_t childGraph) {
    ExecutableNode* found = find_executable_node(gpu, hGraphExec, node);
    const Graph* child = found ? find_graph(gpu, childGraph) : nullptr;
    if (!child) return cudaErrorInvalidValue;
    if (!std::holds_alternative<ChildTask>(*found->task))
        return refuse(cudaErrorInvalidValue, "the node is of another type");
    std::vector<ExecutableNode> wanted;
    cudaGraphNode_t in_cycle = nullptr;
    if (!lay_out(gpu, *child, wanted, in_cycle) ||
        compare(gpu, found->children, wanted).result != cudaGraphExecUpdateSuccess)
        return refuse(cudaErrorGraphExecUpdateFailure,
                      "the graph has other nodes or dependencies than the child graph");
    take_tasks(found->children, wanted);
    return cudaSuccess;
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(Gpu& gpu, cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                 cudaEvent_t event) {
    return set_task<RecordTask>(gpu, hGraphExec, hNode, [&](RecordTask& task) {
        task.event = event;
        return gpu.event(event) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(Gpu& gpu, cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                               cudaEvent_t event) {
    return set_task<WaitTask>(gpu, hGraphExec, hNode, [&](WaitTask& task) {
        task.event = event;
        return gpu.event(event) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaGraphExecNodeSetParams(Gpu& gpu, cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* nodeParams) {
    ExecutableNode* found = find_executable_node(gpu, graphExec, node);
    if (!found || !nodeParams) return cudaErrorInvalidValue;
    if (type_of(*found->task) != nodeParams->type) return refuse(cudaErrorInvalidValue, "a node's type cannot change");
    Task task;
    if (const cudaError_t bad = generic_task(gpu, nodeParams, task); bad != cudaSuccess) return bad;
    if (auto* kernel = std::get_if<KernelTask>(&task))
        kernel->attributes = std::get<KernelTask>(*found->task).attributes;
    if (const char* reason = not_settable(gpu, *found->task, task)) return refuse(cudaErrorInvalidValue, "{}", reason);
    found->task = std::make_shared<const Task>(std::move(task));
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(Gpu& gpu, cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned isEnabled) {
    ExecutableNode* found = find_executable_node(gpu, hGraphExec, hNode);
    if (!found) return cudaErrorInvalidValue;
    const Task& task = *found->task;
    if (!std::holds_alternative<KernelTask>(task) && !std::holds_alternative<CopyTask>(task) &&
        !std::holds_alternative<FillTask>(task))
        return refuse(cudaErrorInvalidValue, "only kernel, memset and memcpy nodes can be disabled");
    found->enabled = isEnabled != 0;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(Gpu& gpu, cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned* isEnabled) {
    const ExecutableNode* found = find_executable_node(gpu, hGraphExec, hNode);
    if (!found || !isEnabled) return cudaErrorInvalidValue;
    *isEnabled = found->enabled;
    return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(Gpu& gpu, cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo* resultInfo) {
    Executable* executable = find_executable(gpu, hGraphExec);
    const Graph* graph = executable ? find_graph(gpu, hGraph) : nullptr;
    if (!graph || !resultInfo) return cudaErrorInvalidValue;
    std::vector<ExecutableNode> wanted;
    cudaGraphNode_t in_cycle = nullptr;
    UpdateProblem problem{cudaGraphExecUpdateError, nullptr};
    if (lay_out(gpu, *graph, wanted, in_cycle)) problem = compare(gpu, executable->nodes, wanted);
    *resultInfo = {.result = problem.result, .errorNode = problem.node, .errorFromNode = nullptr};
    if (problem.result != cudaGraphExecUpdateSuccess)
        return refuse(cudaErrorGraphExecUpdateFailure, "{}",
                      problem.result == cudaGraphExecUpdateErrorParametersChanged
                          ? "a node's parameters changed in a way that an executable graph does not take"
                          : "the graph differs from the instantiated one in more than parameters");
    take_tasks(executable->nodes, wanted);
    executable->conditions.clear();
    initial_conditions(gpu, hGraph, executable->conditions);
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
