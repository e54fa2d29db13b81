#include "runtime_wrappers/virtual_gpu/runtime/conditional.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "runtime_wrappers/host_check/memory.h"
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// What a type of conditional node allows, and which body it runs.
struct TypeRow {
    cudaGraphConditionalNodeType type;
    std::string_view name;
    unsigned least_bodies, most_bodies;
    std::string_view bodies;  ///< in words
    /// The body for a value, if there is one.
    std::optional<std::size_t> (*choose)(unsigned value, std::size_t bodies);
    bool repeats;
};
constexpr unsigned any_number = ~0u;
constexpr TypeRow types[] = {
    {cudaGraphCondTypeIf, "cudaGraphCondTypeIf", 1, 2, "1 or 2 bodies (the second one is for \"else\")",
     [](unsigned value, std::size_t bodies) -> std::optional<std::size_t> {
         if (value != 0) return 0;
         return bodies > 1 ? std::optional<std::size_t>(1) : std::nullopt;
     },
     false},
    {cudaGraphCondTypeWhile, "cudaGraphCondTypeWhile", 1, 1, "1 body",
     [](unsigned value, std::size_t) { return value != 0 ? std::optional<std::size_t>(0) : std::nullopt; }, true},
    {cudaGraphCondTypeSwitch, "cudaGraphCondTypeSwitch", 1, any_number, "1 body or more",
     [](unsigned value, std::size_t bodies) {
         return value < bodies ? std::optional<std::size_t>(value) : std::nullopt;
     },
     false},
};

const TypeRow* row_of(cudaGraphConditionalNodeType type) {
    const auto* const found = std::ranges::find(types, type, &TypeRow::type);
    return found == std::end(types) ? nullptr : found;
}

/// "Kernel nodes, empty nodes, child graph nodes, memset nodes, memcpy nodes and conditional nodes" may be in a body.
bool allowed_in_body(const Task& task) {
    constexpr cudaGraphNodeType allowed[] = {cudaGraphNodeTypeKernel, cudaGraphNodeTypeEmpty,
                                             cudaGraphNodeTypeGraph,  cudaGraphNodeTypeMemset,
                                             cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeConditional};
    return std::ranges::find(allowed, type_of(task)) != std::end(allowed);
}

cudaError_t check_body(Gpu& gpu, cudaGraph_t body) {
    for (const cudaGraphNode_t handle : gpu.graphs->graphs.find(body)->nodes) {
        const Task& task = *gpu.graphs->nodes.find(handle)->task;
        if (!allowed_in_body(task))
            return refuse_with_hint(cudaErrorInvalidValue,
                                    "the body of a conditional node has a node that does not work there",
                                    "kernels, copies, memsets, empty nodes, child graphs and conditional nodes do");
        for (const cudaGraph_t inside : owned_graphs(task))
            if (const cudaError_t bad = check_body(gpu, inside); bad != cudaSuccess) return bad;
    }
    return cudaSuccess;
}

/// Runs nodes in the order in which they are laid out; returns nanoseconds.
double run_nodes(Gpu& gpu, const std::vector<ExecutableNode>& nodes, const Operation& operation) {
    double duration = 0;
    for (const ExecutableNode& node : nodes) {
        if (gpu.context.sticky() != cudaSuccess || gpu.scheduler.abandons() || gpu.scheduler.interrupted()) break;
        duration += run_nodes(gpu, node.children, operation);
        if (!node.enabled) continue;
        if (const auto* conditional = std::get_if<ConditionalTask>(node.task.get())) {
            ConditionalTask inner = *conditional;
            inner.launched = std::make_shared<const ConditionalBodies>(node.bodies);
            duration += run_conditional(gpu, inner, operation).duration;
        } else {
            duration += run_operation(gpu, *node.task, operation, node.origin).duration;
        }
    }
    return duration;
}

/// A loop that takes longer than a kernel may ends as a kernel does.
void end_loop(Gpu& gpu, std::uint64_t rounds) {
    Diagnostic told = error("kernel-timeout",
                            fmt::format("the body of a conditional node (while) ran {} times, for more than {} ms",
                                        rounds, gpu.kernel_timeout.count()),
                            "a kernel of the body ends the loop with cudaGraphSetConditional(handle, 0)");
    told.where = gpu.place();
    if (gpu.active.events.diagnostic) gpu.active.events.diagnostic(told);
    gpu.scheduler.lose_context(cudaErrorLaunchTimeout, true);
}

bool polls(const std::vector<ExecutableNode>& nodes) {
    return std::ranges::any_of(nodes, [](const ExecutableNode& node) {
        const auto* kernel = std::get_if<KernelTask>(node.task.get());
        return (kernel && node.enabled && kernel->info->polls && !kernel->debugger) || polls(node.children) ||
               std::ranges::any_of(node.bodies, polls);
    });
}

}  // namespace

bool may_wait(const ConditionalTask& task) {
    return task.launched && std::ranges::any_of(task.launched->graphs, polls);
}

Usage run_conditional(Gpu& gpu, const ConditionalTask& task, const Operation& operation) {
    constexpr double decision = 1000;  // nanoseconds, as between two kernels of a graph
    const TypeRow& row = *row_of(task.type);
    const auto begun = std::chrono::steady_clock::now();
    Usage usage{.duration = 0, .engine = Engine::kernels};
    for (std::uint64_t rounds = 0;; ++rounds) {
        usage.duration += decision;
        const auto body = row.choose(gpu.graphs->condition_values[task.handle], task.bodies.size());
        if (!body || gpu.context.sticky() != cudaSuccess || gpu.scheduler.abandons() || gpu.scheduler.interrupted())
            return usage;
        usage.duration += run_nodes(gpu, task.launched->graphs[*body], operation);
        if (!row.repeats) return usage;
        const bool limited = gpu.kernel_timeout.count() > 0;
        if (limited && std::chrono::steady_clock::now() - begun > gpu.kernel_timeout) {
            end_loop(gpu, rounds + 1);
            return usage;
        }
    }
}

bool has_conditions(Gpu& gpu, const Graph& graph) {
    return std::ranges::any_of(graph.nodes, [&](cudaGraphNode_t handle) {
        const Task& task = *gpu.graphs->nodes.find(handle)->task;
        if (std::holds_alternative<ConditionalTask>(task)) return true;
        return std::ranges::any_of(owned_graphs(task), [&](cudaGraph_t inside) {
            return has_conditions(gpu, *gpu.graphs->graphs.find(inside));
        });
    });
}

cudaError_t check_conditions(Gpu& gpu, cudaGraph_t graph, cudaGraphInstantiateResult& why) {
    for (const auto& [handle, condition] : gpu.graphs->conditions) {
        if (condition.graph != graph || condition.node) continue;
        why = cudaGraphInstantiateConditionalHandleUnused;
        return refuse_with_hint(cudaErrorInvalidValue,
                                fmt::format("no conditional node of the graph uses the handle {:#x}", handle),
                                "add a node with it before the graph is instantiated");
    }
    for (const cudaGraphNode_t node : gpu.graphs->graphs.find(graph)->nodes) {
        const Task& task = *gpu.graphs->nodes.find(node)->task;
        for (const cudaGraph_t inside : owned_graphs(task)) {
            if (std::holds_alternative<ConditionalTask>(task))
                if (const cudaError_t bad = check_body(gpu, inside); bad != cudaSuccess) return bad;
            if (const cudaError_t bad = check_conditions(gpu, inside, why); bad != cudaSuccess) return bad;
        }
    }
    return cudaSuccess;
}

void initial_conditions(Gpu& gpu, cudaGraph_t graph, std::map<cudaGraphConditionalHandle, unsigned>& values) {
    for (const cudaGraphNode_t node : gpu.graphs->graphs.find(graph)->nodes) {
        const Task& task = *gpu.graphs->nodes.find(node)->task;
        if (const auto* conditional = std::get_if<ConditionalTask>(&task)) {
            const auto condition = gpu.graphs->conditions.find(conditional->handle);
            if (condition != gpu.graphs->conditions.end() && condition->second.initial)
                values[conditional->handle] = *condition->second.initial;
        }
        for (const cudaGraph_t inside : owned_graphs(task)) initial_conditions(gpu, inside, values);
    }
}

cudaError_t make_conditional(Gpu& gpu, cudaConditionalNodeParams& parameters, ConditionalTask& task) {
    // The graph that the handle was made for is not looked at (recorded on an H100).
    const auto found = gpu.graphs->conditions.find(parameters.handle);
    if (found == gpu.graphs->conditions.end())
        return refuse_with_hint(cudaErrorInvalidValue,
                                fmt::format("{:#x} is not a handle of a condition", parameters.handle),
                                "make one with cudaGraphConditionalHandleCreate");
    if (found->second.node)
        return refuse(cudaErrorInvalidValue, "another conditional node uses the handle {:#x}", parameters.handle);
    const TypeRow* const row = row_of(parameters.type);
    if (!row)
        return refuse(cudaErrorInvalidValue, "there are no conditional nodes of type {}",
                      static_cast<int>(parameters.type));
    if (parameters.size < row->least_bodies || parameters.size > row->most_bodies)
        return refuse(cudaErrorInvalidValue, "size is {}: a conditional node of type {} has {}", parameters.size,
                      row->name, row->bodies);
    constexpr unsigned most = 1 << 16;
    if (parameters.size > most)
        return refuse(cudaErrorMemoryAllocation, "the virtual GPU has room for {} bodies of a node", most);
    task.handle = parameters.handle;
    task.type = parameters.type;
    for (unsigned i = 0; i < parameters.size; ++i) {
        task.bodies.push_back(make_graph(gpu));
        gpu.graphs->graphs.find(task.bodies.back())->in_node = true;
    }
    // The node keeps this list where it is.
    parameters.phGraph_out = task.bodies.data();
    return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(Gpu& gpu, cudaGraphConditionalHandle* pHandle_out, cudaGraph_t graph,
                                             unsigned defaultLaunchValue, unsigned flags) {
    if (!pHandle_out) return refuse(cudaErrorInvalidValue, "there is nowhere to put the handle");
    if (!find_graph(gpu, graph)) return cudaErrorInvalidValue;
    if (flags & ~static_cast<unsigned>(cudaGraphCondAssignDefault))
        return refuse(cudaErrorInvalidValue, "flags is {}, and may be 0 or cudaGraphCondAssignDefault", flags);
    const cudaGraphConditionalHandle handle = gpu.graphs->next_condition;
    constexpr cudaGraphConditionalHandle step = 0x40;
    gpu.graphs->next_condition += step;
    Condition condition{.graph = graph};
    if (flags & cudaGraphCondAssignDefault) condition.initial = defaultLaunchValue;
    gpu.graphs->conditions.emplace(handle, condition);
    gpu.graphs->condition_values[handle] = 0;
    *pHandle_out = handle;
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
