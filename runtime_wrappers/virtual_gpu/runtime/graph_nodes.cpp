// Adding nodes to graphs.
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// Where a node goes, checked before its parameters are.
struct Place {
    cudaGraphNode_t* out;
    cudaGraph_t graph;
    const cudaGraphNode_t* dependencies;
    std::size_t count;

    std::span<const cudaGraphNode_t> before() const { return {dependencies, count}; }
};

cudaError_t check(Gpu& gpu, const Place& place) {
    if (!place.out) return refuse(cudaErrorInvalidValue, "there is nowhere to put the node");
    if (!find_graph(gpu, place.graph)) return cudaErrorInvalidValue;
    if (place.count > 0 && !place.dependencies)
        return refuse(cudaErrorInvalidValue, "{} dependencies are said to be at null", place.count);
    return check_dependencies(gpu, place.graph, place.before());
}

/// Checks the place, has `make(task)` check and fill the task, and adds the node.
template <class T, class Make>
cudaError_t add(Gpu& gpu, const Place& place, Make make) {
    if (const cudaError_t bad = check(gpu, place); bad != cudaSuccess) return bad;
    T task;
    if (const cudaError_t bad = make(task); bad != cudaSuccess) return bad;
    *place.out = add_node(gpu, place.graph, place.before(), std::move(task));
    return cudaSuccess;
}

cudaError_t make_child(Gpu& gpu, cudaGraph_t parent, cudaGraph_t childGraph, bool move, ChildTask& task) {
    Graph* child = find_graph(gpu, childGraph);
    if (!child) return cudaErrorInvalidValue;
    if (childGraph == parent || child->in_node)
        return refuse(cudaErrorInvalidValue, "the graph cannot become a child of this one");
    if (has_conditions(gpu, *child) && !move)
        return refuse(cudaErrorNotSupported, "a graph with conditional nodes can only be moved into a node");
    if (child->allocates && !move)
        return refuse(cudaErrorNotSupported, "a graph with memory nodes can only be moved into a node");
    task.graph = move ? childGraph : clone_graph(gpu, *child);
    Graph& owned = *gpu.graphs->graphs.find(task.graph);
    owned.in_node = true;
    if (owned.allocates) gpu.graphs->graphs.find(parent)->allocates = true;
    return cudaSuccess;
}

template <class Parameters>
cudaError_t make_allocation(Gpu& gpu, const Place& place, Parameters* parameters, AllocateTask& task) {
    if (!parameters) return refuse(cudaErrorInvalidValue, "the parameters are null");
    const cudaMemPoolProps& properties = parameters->poolProps;
    if (properties.allocType != cudaMemAllocationTypePinned || properties.location.type != cudaMemLocationTypeDevice ||
        properties.handleTypes != cudaMemHandleTypeNone)
        return refuse(cudaErrorInvalidValue, "poolProps must be of pinned allocations on a device, not shared");
    if (!gpu.has_device(properties.location.id))
        return refuse(cudaErrorInvalidValue, "there is no device {}", properties.location.id);
    if (parameters->bytesize == 0) return refuse(cudaErrorInvalidValue, "bytesize is 0");
    cudaError_t status = cudaSuccess;
    task.memory =
        GraphMemory::find_or_create(gpu, place.before(), properties.location.id, parameters->bytesize, status);
    if (!task.memory) return status;
    parameters->dptr = reinterpret_cast<void*>(task.memory->address());
    task.parameters.poolProps = properties;
    task.parameters.accessDescs = parameters->accessDescs;
    task.parameters.accessDescCount = parameters->accessDescCount;
    task.parameters.bytesize = parameters->bytesize;
    task.parameters.dptr = parameters->dptr;
    return cudaSuccess;
}

cudaError_t make_free(Gpu& gpu, void* pointer, FreeTask& task) {
    const AllocationRecord* block = gpu.memory.record_at(reinterpret_cast<Address>(pointer));
    if (!block || !block->graph)
        return refuse(cudaErrorInvalidValue, "{} is not memory of an allocation node", pointer);
    task.pointer = pointer;
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaGraphAddKernelNode(Gpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, std::size_t numDependencies,
                                   const cudaKernelNodeParams* pNodeParams) {
    return add<KernelTask>(gpu, {pGraphNode, graph, pDependencies, numDependencies},
                           [&](KernelTask& task) { return kernel_task(gpu, pNodeParams, task); });
}

cudaError_t cudaGraphAddMemcpyNode(Gpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, std::size_t numDependencies,
                                   const cudaMemcpy3DParms* pCopyParams) {
    return add<CopyTask>(gpu, {pGraphNode, graph, pDependencies, numDependencies},
                         [&](CopyTask& task) { return copy_task(gpu, pCopyParams, task); });
}

cudaError_t cudaGraphAddMemcpyNode1D(Gpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t* pDependencies, std::size_t numDependencies, void* dst,
                                     const void* src, std::size_t count, cudaMemcpyKind kind) {
    return add<CopyTask>(gpu, {pGraphNode, graph, pDependencies, numDependencies},
                         [&](CopyTask& task) { return copy_task_1d(gpu, dst, src, count, kind, task); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(Gpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t* pDependencies, std::size_t numDependencies,
                                           const void* symbol, const void* src, std::size_t count, std::size_t offset,
                                           cudaMemcpyKind kind) {
    return add<CopyTask>(gpu, {pGraphNode, graph, pDependencies, numDependencies}, [&](CopyTask& task) {
        const void* dst = nullptr;
        const cudaError_t bad = part_of_symbol(gpu, symbol, count, offset, kind, cudaMemcpyHostToDevice, dst);
        return bad != cudaSuccess ? bad : copy_task_1d(gpu, const_cast<void*>(dst), src, count, kind, task);
    });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(Gpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t* pDependencies, std::size_t numDependencies,
                                             void* dst, const void* symbol, std::size_t count, std::size_t offset,
                                             cudaMemcpyKind kind) {
    return add<CopyTask>(gpu, {pGraphNode, graph, pDependencies, numDependencies}, [&](CopyTask& task) {
        const void* src = nullptr;
        const cudaError_t bad = part_of_symbol(gpu, symbol, count, offset, kind, cudaMemcpyDeviceToHost, src);
        return bad != cudaSuccess ? bad : copy_task_1d(gpu, dst, src, count, kind, task);
    });
}

cudaError_t cudaGraphAddMemsetNode(Gpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, std::size_t numDependencies,
                                   const cudaMemsetParams* pMemsetParams) {
    return add<FillTask>(gpu, {pGraphNode, graph, pDependencies, numDependencies},
                         [&](FillTask& task) { return fill_task(gpu, pMemsetParams, task); });
}

cudaError_t cudaGraphAddHostNode(Gpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                 const cudaGraphNode_t* pDependencies, std::size_t numDependencies,
                                 const cudaHostNodeParams* pNodeParams) {
    return add<HostTask>(gpu, {pGraphNode, graph, pDependencies, numDependencies},
                         [&](HostTask& task) { return host_task(pNodeParams, task); });
}

cudaError_t cudaGraphAddChildGraphNode(Gpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t* pDependencies, std::size_t numDependencies,
                                       cudaGraph_t childGraph) {
    return add<ChildTask>(gpu, {pGraphNode, graph, pDependencies, numDependencies},
                          [&](ChildTask& task) { return make_child(gpu, graph, childGraph, false, task); });
}

cudaError_t cudaGraphAddEmptyNode(Gpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                  const cudaGraphNode_t* pDependencies, std::size_t numDependencies) {
    return add<EmptyTask>(gpu, {pGraphNode, graph, pDependencies, numDependencies},
                          [](EmptyTask&) { return cudaSuccess; });
}

cudaError_t cudaGraphAddEventRecordNode(Gpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t* pDependencies, std::size_t numDependencies,
                                        cudaEvent_t event) {
    return add<RecordTask>(gpu, {pGraphNode, graph, pDependencies, numDependencies}, [&](RecordTask& task) {
        task.event = event;
        return gpu.event(event) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaGraphAddEventWaitNode(Gpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t* pDependencies, std::size_t numDependencies,
                                      cudaEvent_t event) {
    return add<WaitTask>(gpu, {pGraphNode, graph, pDependencies, numDependencies}, [&](WaitTask& task) {
        task.event = event;
        return gpu.event(event) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaGraphAddMemAllocNode(Gpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t* pDependencies, std::size_t numDependencies,
                                     cudaMemAllocNodeParams* nodeParams) {
    const Place place{pGraphNode, graph, pDependencies, numDependencies};
    return add<AllocateTask>(gpu, place,
                             [&](AllocateTask& task) { return make_allocation(gpu, place, nodeParams, task); });
}

cudaError_t cudaGraphAddMemFreeNode(Gpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                    const cudaGraphNode_t* pDependencies, std::size_t numDependencies, void* dptr) {
    return add<FreeTask>(gpu, {pGraphNode, graph, pDependencies, numDependencies},
                         [&](FreeTask& task) { return make_free(gpu, dptr, task); });
}

cudaError_t cudaGraphAddNode(Gpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t* pDependencies, const cudaGraphEdgeData* dependencyData,
                             std::size_t numDependencies, cudaGraphNodeParams* nodeParams) {
    if (!nodeParams) return refuse(cudaErrorInvalidValue, "the parameters are null");
    const auto& reserved = nodeParams->reserved0;
    if (nodeParams->reserved2 != 0 || std::any_of(std::begin(reserved), std::end(reserved), [](int r) { return r; }))
        return refuse_with_hint(cudaErrorInvalidValue, "a reserved member of the parameters is not zero",
                                "initialize them all: cudaGraphNodeParams parameters = {};");
    if (const cudaError_t bad = check_edge_data(dependencyData, numDependencies); bad != cudaSuccess) return bad;
    const Place place{pGraphNode, graph, pDependencies, numDependencies};
    switch (nodeParams->type) {
        case cudaGraphNodeTypeGraph:
            return add<ChildTask>(gpu, place, [&](ChildTask& task) {
                const auto& child = nodeParams->graph;
                const bool move = child.ownership == cudaGraphChildGraphOwnershipMove;
                const cudaError_t bad = make_child(gpu, graph, child.graph, move, task);
                if (bad == cudaSuccess) nodeParams->graph.graph = task.graph;
                return bad;
            });
        case cudaGraphNodeTypeConditional: {
            const auto make = [&](ConditionalTask& task) {
                return make_conditional(gpu, nodeParams->conditional, task);
            };
            const cudaError_t bad = add<ConditionalTask>(gpu, place, make);
            if (bad == cudaSuccess) gpu.graphs->conditions.at(nodeParams->conditional.handle).node = *pGraphNode;
            return bad;
        }
        case cudaGraphNodeTypeMemAlloc:
            return add<AllocateTask>(
                gpu, place, [&](AllocateTask& task) { return make_allocation(gpu, place, &nodeParams->alloc, task); });
        case cudaGraphNodeTypeMemFree:
            return add<FreeTask>(gpu, place,
                                 [&](FreeTask& task) { return make_free(gpu, nodeParams->free.dptr, task); });
        default:
            return add<Task>(gpu, place, [&](Task& task) { return generic_task(gpu, nodeParams, task); });
    }
}

}  // namespace cudash::virtual_gpu::runtime
