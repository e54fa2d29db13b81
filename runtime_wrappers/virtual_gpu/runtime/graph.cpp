// The structure of graphs: making, copying and destroying them, their nodes and edges.
#include "runtime_wrappers/virtual_gpu/runtime/graph.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/user_object.h"

namespace cudash::virtual_gpu::runtime {
namespace {

template <class Object, class Handle>
Object* find_in(HandleTable<Handle, Object>& table, Handle handle, const char* what) {
    Object* found = table.find(handle);
    if (!found) refuse(cudaErrorInvalidValue, "{} is not {}, or was destroyed", fmt::ptr(handle), what);
    return found;
}

bool same(const cudaGraphEdgeData& a, const cudaGraphEdgeData& b) {
    return a.from_port == b.from_port && a.to_port == b.to_port && a.type == b.type;
}

/// Lists handles as the graph queries do: the number alone if there is nowhere to put them; otherwise as many as there
/// is room for, null beyond the last.
template <class Handle>
cudaError_t list(std::span<const Handle> found, Handle* out, std::size_t* count) {
    if (!count) return cudaErrorInvalidValue;
    if (out) {
        for (std::size_t i = 0; i < *count; ++i) out[i] = i < found.size() ? found[i] : nullptr;
        *count = std::min(*count, found.size());
    } else {
        *count = found.size();
    }
    return cudaSuccess;
}

cudaError_t list_edges(Gpu& gpu, cudaGraphNode_t node, std::vector<Edge> Node::*which, cudaGraphNode_t* out,
                       cudaGraphEdgeData* data, std::size_t* count) {
    const Node* found = find_node(gpu, node);
    if (!found) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> others;
    const std::vector<Edge>& edges = found->*which;
    for (const Edge& edge : edges) others.push_back(edge.node);
    const bool lossy = out && !data && std::any_of(edges.begin(), edges.end(), [](const Edge& edge) {
                           return !same(edge.data, cudaGraphEdgeData{});
                       });
    if (lossy) return refuse(cudaErrorLossyQuery, "an edge has data, and edgeData is null");
    if (out && data && count)
        for (std::size_t i = 0; i < *count; ++i) data[i] = i < edges.size() ? edges[i].data : cudaGraphEdgeData{};
    return list<cudaGraphNode_t>(others, out, count);
}

/// Nodes and edges of a graph with memory nodes cannot be deleted (Programming Guide, "Graph Memory Nodes").
cudaError_t check_editable(const Graph& graph) {
    if (!graph.allocates) return cudaSuccess;
    return refuse(cudaErrorNotSupported, "nodes and edges of a graph with memory nodes cannot be deleted");
}

}  // namespace

Graph* find_graph(Gpu& gpu, cudaGraph_t handle) {
    return find_in(gpu.graphs->graphs, handle, "a graph");
}
Node* find_node(Gpu& gpu, cudaGraphNode_t handle) {
    return find_in(gpu.graphs->nodes, handle, "a node of a graph");
}
Executable* find_executable(Gpu& gpu, cudaGraphExec_t handle) {
    return find_in(gpu.graphs->executables, handle, "an executable graph");
}

void Graphs::clear() {
    executables.clear();
    nodes.clear();
    graphs.clear();
    conditions.clear();
    condition_values.clear();
    memory_use.clear();
}

cudaGraph_t make_graph(Gpu& gpu) {
    return gpu.graphs->graphs.add({});
}

std::vector<cudaGraph_t> owned_graphs(const Task& task) {
    if (const auto* child = std::get_if<ChildTask>(&task)) return {child->graph};
    const auto* conditional = std::get_if<ConditionalTask>(&task);
    return conditional ? conditional->bodies : std::vector<cudaGraph_t>();
}

void destroy_graph(Gpu& gpu, cudaGraph_t handle) {
    Graph* graph = gpu.graphs->graphs.find(handle);
    if (!graph) return;
    for (const cudaGraphNode_t node : graph->nodes) {
        if (const Node* found = gpu.graphs->nodes.find(node))
            for (const cudaGraph_t owned : owned_graphs(*found->task)) destroy_graph(gpu, owned);
        gpu.graphs->nodes.remove(node);
    }
    std::erase_if(gpu.graphs->conditions, [&](const auto& each) { return each.second.graph == handle; });
    const auto held = std::move(graph->user_objects);
    gpu.graphs->graphs.remove(handle);
    for (const auto& [object, references] : held) release_user_object(gpu, object, references);
}

cudaGraph_t clone_graph(Gpu& gpu, const Graph& original) {
    const cudaGraph_t copy = make_graph(gpu);
    std::map<cudaGraphNode_t, cudaGraphNode_t> made;
    for (const cudaGraphNode_t node : original.nodes) {
        Task task = *gpu.graphs->nodes.find(node)->task;
        if (auto* child = std::get_if<ChildTask>(&task)) {
            child->graph = clone_graph(gpu, *gpu.graphs->graphs.find(child->graph));
            gpu.graphs->graphs.find(child->graph)->in_node = true;
        }
        made[node] = add_node(gpu, copy, {}, std::move(task));
    }
    for (const cudaGraphNode_t node : original.nodes)
        for (const Edge& edge : gpu.graphs->nodes.find(node)->dependencies)
            connect(gpu, made.at(edge.node), made.at(node), edge.data);
    Graph& graph = *gpu.graphs->graphs.find(copy);
    graph.originals = std::move(made);
    graph.allocates = original.allocates;
    for (const auto& [object, references] : original.user_objects)
        if (UserObject* found = gpu.graphs->user_objects.find(object)) {
            found->references += references;
            graph.user_objects[object] = references;
        }
    return copy;
}

cudaError_t check_dependencies(Gpu& gpu, cudaGraph_t graph, std::span<const cudaGraphNode_t> dependencies) {
    std::set<cudaGraphNode_t> seen;
    for (const cudaGraphNode_t each : dependencies) {
        const Node* node = find_node(gpu, each);
        if (!node) return cudaErrorInvalidValue;
        if (node->graph != graph) return refuse(cudaErrorInvalidValue, "a dependency is a node of another graph");
        if (!seen.insert(each).second) return refuse(cudaErrorInvalidValue, "a dependency is given twice");
    }
    return cudaSuccess;
}

std::set<cudaGraphNode_t> with_ancestors(Gpu& gpu, std::span<const cudaGraphNode_t> nodes) {
    std::set<cudaGraphNode_t> found;
    std::vector<cudaGraphNode_t> open(nodes.begin(), nodes.end());
    while (!open.empty()) {
        const cudaGraphNode_t handle = open.back();
        open.pop_back();
        const Node* node = gpu.graphs->nodes.find(handle);
        if (!node || !found.insert(handle).second) continue;
        for (const Edge& edge : node->dependencies) open.push_back(edge.node);
    }
    return found;
}

cudaError_t check_edge_data(const cudaGraphEdgeData* data, std::size_t count) {
    for (std::size_t i = 0; data && i < count; ++i)
        if (!same(data[i], cudaGraphEdgeData{}))
            return refuse(cudaErrorNotSupported,
                          "programmatic dependent launch in graphs is not implemented on "
                          "the virtual GPU: edge data must be zero");
    return cudaSuccess;
}

void connect(Gpu& gpu, cudaGraphNode_t from, cudaGraphNode_t to, const cudaGraphEdgeData& data) {
    gpu.graphs->nodes.find(from)->dependents.push_back({to, data});
    gpu.graphs->nodes.find(to)->dependencies.push_back({from, data});
}

bool disconnect(Gpu& gpu, cudaGraphNode_t from, cudaGraphNode_t to) {
    const auto taken =
        std::erase_if(gpu.graphs->nodes.find(from)->dependents, [&](const Edge& edge) { return edge.node == to; });
    std::erase_if(gpu.graphs->nodes.find(to)->dependencies, [&](const Edge& edge) { return edge.node == from; });
    return taken != 0;
}

cudaGraphNode_t add_node(Gpu& gpu, cudaGraph_t graph, std::span<const cudaGraphNode_t> dependencies, Task task,
                         const cudaGraphEdgeData* data) {
    Graph& owner = *gpu.graphs->graphs.find(graph);
    owner.allocates |= std::holds_alternative<AllocateTask>(task) || std::holds_alternative<FreeTask>(task);
    const cudaGraphNode_t node = gpu.graphs->nodes.add(
        {.graph = graph, .task = std::make_shared<const Task>(std::move(task)), .origin = gpu.place()});
    owner.nodes.push_back(node);
    for (std::size_t i = 0; i < dependencies.size(); ++i)
        connect(gpu, dependencies[i], node, data ? data[i] : cudaGraphEdgeData{});
    return node;
}

cudaGraphNodeType type_of(const Task& task) {
    // In the order of the variant.
    constexpr std::array types = {cudaGraphNodeTypeEmpty,       cudaGraphNodeTypeKernel,      cudaGraphNodeTypeMemcpy,
                                  cudaGraphNodeTypeMemset,      cudaGraphNodeTypeHost,        cudaGraphNodeTypeHost,
                                  cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeWaitEvent,   cudaGraphNodeTypeEmpty,
                                  cudaGraphNodeTypeMemAlloc,    cudaGraphNodeTypeMemFree,     cudaGraphNodeTypeGraph,
                                  cudaGraphNodeTypeKernel,      cudaGraphNodeTypeConditional, cudaGraphNodeTypeEmpty};
    static_assert(types.size() == std::variant_size_v<Task>);
    return types[task.index()];
}

cudaError_t cudaGraphCreate(Gpu& gpu, cudaGraph_t* pGraph, unsigned flags) {
    if (!pGraph) return cudaErrorInvalidValue;
    if (flags != 0) return refuse(cudaErrorInvalidValue, "flags must be 0");
    *pGraph = make_graph(gpu);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(Gpu& gpu, cudaGraph_t graph) {
    const Graph* found = find_graph(gpu, graph);
    if (!found) return cudaErrorInvalidValue;
    if (found->in_node) return refuse(cudaErrorInvalidValue, "the graph belongs to a node of another graph");
    destroy_graph(gpu, graph);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(Gpu& gpu, cudaGraph_t* pGraphClone, cudaGraph_t originalGraph) {
    if (!pGraphClone) return cudaErrorInvalidValue;
    const Graph* original = find_graph(gpu, originalGraph);
    if (!original) return cudaErrorInvalidValue;
    if (original->allocates) return refuse(cudaErrorNotSupported, "a graph with memory nodes cannot be cloned");
    if (has_conditions(gpu, *original))
        return refuse(cudaErrorNotSupported, "a graph with conditional nodes cannot be cloned");
    *pGraphClone = clone_graph(gpu, *original);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeFindInClone(Gpu& gpu, cudaGraphNode_t* pNode, cudaGraphNode_t originalNode,
                                     cudaGraph_t clonedGraph) {
    if (!pNode) return cudaErrorInvalidValue;
    const Graph* clone = find_graph(gpu, clonedGraph);
    if (!clone) return cudaErrorInvalidValue;
    const auto found = clone->originals.find(originalNode);
    if (found == clone->originals.end() || !gpu.graphs->nodes.find(found->second))
        return refuse(cudaErrorInvalidValue, "the graph has no clone of that node");
    *pNode = found->second;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(Gpu& gpu, cudaGraphNode_t node, cudaGraphNodeType* pType) {
    if (!pType) return cudaErrorInvalidValue;
    const Node* found = find_node(gpu, node);
    if (!found) return cudaErrorInvalidValue;
    *pType = type_of(*found->task);
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(Gpu& gpu, cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* numNodes) {
    const Graph* found = find_graph(gpu, graph);
    if (!found) return cudaErrorInvalidValue;
    return list<cudaGraphNode_t>(found->nodes, nodes, numNodes);
}

cudaError_t cudaGraphGetRootNodes(Gpu& gpu, cudaGraph_t graph, cudaGraphNode_t* pRootNodes,
                                  std::size_t* pNumRootNodes) {
    const Graph* found = find_graph(gpu, graph);
    if (!found) return cudaErrorInvalidValue;
    if (pRootNodes && pNumRootNodes && *pNumRootNodes == 0)
        return refuse(cudaErrorInvalidValue, "the array is said to have room for no node");
    std::vector<cudaGraphNode_t> roots;
    for (const cudaGraphNode_t node : found->nodes)
        if (gpu.graphs->nodes.find(node)->dependencies.empty()) roots.push_back(node);
    return list<cudaGraphNode_t>(roots, pRootNodes, pNumRootNodes);
}

cudaError_t cudaGraphGetEdges(Gpu& gpu, cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* edgeData, std::size_t* numEdges) {
    const Graph* found = find_graph(gpu, graph);
    if (!found || !numEdges || !from != !to) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> begins, ends;
    for (const cudaGraphNode_t node : found->nodes)
        for (const Edge& edge : gpu.graphs->nodes.find(node)->dependents) {
            begins.push_back(node);
            ends.push_back(edge.node);
        }
    if (from && edgeData) std::fill_n(edgeData, *numEdges, cudaGraphEdgeData{});
    std::size_t room = *numEdges;
    if (const cudaError_t status = list<cudaGraphNode_t>(begins, from, &room); status != cudaSuccess) return status;
    return list<cudaGraphNode_t>(ends, to, numEdges);
}

cudaError_t cudaGraphNodeGetDependencies(Gpu& gpu, cudaGraphNode_t node, cudaGraphNode_t* pDependencies,
                                         cudaGraphEdgeData* edgeData, std::size_t* pNumDependencies) {
    return list_edges(gpu, node, &Node::dependencies, pDependencies, edgeData, pNumDependencies);
}

cudaError_t cudaGraphNodeGetDependentNodes(Gpu& gpu, cudaGraphNode_t node, cudaGraphNode_t* pDependentNodes,
                                           cudaGraphEdgeData* edgeData, std::size_t* pNumDependentNodes) {
    return list_edges(gpu, node, &Node::dependents, pDependentNodes, edgeData, pNumDependentNodes);
}

cudaError_t cudaGraphAddDependencies(Gpu& gpu, cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* edgeData,
                                     std::size_t numDependencies) {
    if (!find_graph(gpu, graph)) return cudaErrorInvalidValue;
    if (numDependencies == 0) return cudaSuccess;
    if (!from || !to) return refuse(cudaErrorInvalidValue, "from or to is null");
    if (const cudaError_t bad = check_edge_data(edgeData, numDependencies); bad != cudaSuccess) return bad;
    std::set<std::pair<cudaGraphNode_t, cudaGraphNode_t>> added;
    for (std::size_t i = 0; i < numDependencies; ++i) {
        const Node* first = find_node(gpu, from[i]);
        const Node* second = first ? find_node(gpu, to[i]) : nullptr;
        if (!second) return cudaErrorInvalidValue;
        if (first->graph != graph || second->graph != graph)
            return refuse(cudaErrorInvalidValue, "a node is of another graph");
        if (from[i] == to[i]) return refuse(cudaErrorInvalidValue, "a node cannot depend on itself");
        const bool there = std::any_of(first->dependents.begin(), first->dependents.end(),
                                       [&](const Edge& edge) { return edge.node == to[i]; });
        if (there || !added.emplace(from[i], to[i]).second)
            return refuse(cudaErrorInvalidValue, "the dependency exists already");
    }
    for (std::size_t i = 0; i < numDependencies; ++i) connect(gpu, from[i], to[i], {});
    return cudaSuccess;
}

cudaError_t cudaGraphRemoveDependencies(Gpu& gpu, cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData* edgeData,
                                        std::size_t numDependencies) {
    const Graph* found = find_graph(gpu, graph);
    if (!found) return cudaErrorInvalidValue;
    if (numDependencies == 0) return cudaSuccess;
    if (!from || !to) return refuse(cudaErrorInvalidValue, "from or to is null");
    if (const cudaError_t bad = check_editable(*found); bad != cudaSuccess) return bad;
    if (const cudaError_t bad = check_edge_data(edgeData, numDependencies); bad != cudaSuccess) return bad;
    for (std::size_t i = 0; i < numDependencies; ++i) {
        const Node* first = find_node(gpu, from[i]);
        if (!first || !find_node(gpu, to[i])) return cudaErrorInvalidValue;
        if (first->graph != graph || !disconnect(gpu, from[i], to[i]))
            return refuse(cudaErrorInvalidValue, "there is no such dependency");
    }
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(Gpu& gpu, cudaGraphNode_t node) {
    const Node* found = find_node(gpu, node);
    if (!found) return cudaErrorInvalidValue;
    Graph& graph = *gpu.graphs->graphs.find(found->graph);
    if (const cudaError_t bad = check_editable(graph); bad != cudaSuccess) return bad;
    const auto is_edge = [&](const Edge& edge) { return edge.node == node; };
    for (const Edge& edge : found->dependencies) std::erase_if(gpu.graphs->nodes.find(edge.node)->dependents, is_edge);
    for (const Edge& edge : found->dependents) std::erase_if(gpu.graphs->nodes.find(edge.node)->dependencies, is_edge);
    if (const auto* conditional = std::get_if<ConditionalTask>(found->task.get()))
        if (const auto known = gpu.graphs->conditions.find(conditional->handle); known != gpu.graphs->conditions.end())
            known->second.node = nullptr;
    for (const cudaGraph_t owned : owned_graphs(*found->task)) destroy_graph(gpu, owned);
    std::erase(graph.nodes, node);
    gpu.graphs->nodes.remove(node);
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
