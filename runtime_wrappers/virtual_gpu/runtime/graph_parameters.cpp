// Nodes' parameters: checked and turned into tasks, and given back.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph.h"
#include "runtime_wrappers/virtual_gpu/runtime/stream_attribute.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// The task of a node if it is of that type; nullptr after saying that it is not.
template <class T>
const T* task_of(Gpu& gpu, cudaGraphNode_t handle) {
    const Node* node = find_node(gpu, handle);
    const T* task = node ? std::get_if<T>(node->task.get()) : nullptr;
    if (node && !task) refuse(cudaErrorInvalidValue, "the node is of another type");
    return task;
}

template <class T>
cudaError_t replace(Gpu& gpu, cudaGraphNode_t handle, T task) {
    gpu.graphs->nodes.find(handle)->task = std::make_shared<const Task>(std::move(task));
    return cudaSuccess;
}

/// "If a CUDA array is participating in the copy, the extent is defined in terms of that array's elements." Of memory
/// the driver keeps what the program gave but for xsize: no pitch of one row, no ysize of one slice (recorded on an
/// H200).
cudaMemcpy3DParms parameters_of(Gpu& gpu, const CopyTask& task) {
    cudaMemcpy3DParms parameters{};
    parameters.extent = {task.box.width, task.box.height, task.box.depth};
    parameters.kind = task.kind;
    const auto describe = [&](const Rows& rows, cudaArray_t& array, cudaPos& position, cudaPitchedPtr& memory) {
        if (rows.array) {
            array = rows.handle, position = rows.position;
            if (const Array* found = gpu.images.arrays.find(rows.handle))
                parameters.extent.width = task.box.width / found->image.format.bytes();
            return;
        }
        position = rows.position;
        memory = {const_cast<void*>(rows.base ? rows.base : rows.pointer), rows.pitch, 0,
                  rows.pitch ? rows.slice / rows.pitch : 0};
    };
    describe(task.src, parameters.srcArray, parameters.srcPos, parameters.srcPtr);
    describe(task.dst, parameters.dstArray, parameters.dstPos, parameters.dstPtr);
    return parameters;
}

cudaError_t symbol_copy(Gpu& gpu, const void* symbol, const void* other, std::size_t count, std::size_t offset,
                        cudaMemcpyKind kind, cudaMemcpyKind natural, CopyTask& task) {
    const void* address = nullptr;
    if (const cudaError_t bad = part_of_symbol(gpu, symbol, count, offset, kind, natural, address); bad != cudaSuccess)
        return bad;
    const bool to_symbol = natural == cudaMemcpyHostToDevice;
    return copy_task_1d(gpu, to_symbol ? const_cast<void*>(address) : const_cast<void*>(other),
                        to_symbol ? other : address, count, kind, task);
}

cudaError_t check_attribute(Gpu& gpu, cudaLaunchAttributeID id, const cudaLaunchAttributeValue& value) {
    switch (id) {
        case cudaLaunchAttributeAccessPolicyWindow:
            return check_window(gpu, value.accessPolicyWindow);
        case cudaLaunchAttributeCooperative:
        case cudaLaunchAttributePriority:
        case cudaLaunchAttributeClusterDimension:
        case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        case cudaLaunchAttributeMemSyncDomainMap:
        case cudaLaunchAttributeMemSyncDomain:
        case cudaLaunchAttributePreferredSharedMemoryCarveout:
        case cudaLaunchAttributeDeviceUpdatableKernelNode:
            return cudaSuccess;
        default:
            return refuse(cudaErrorInvalidValue, "attribute {} is not one of kernel nodes", static_cast<int>(id));
    }
}

}  // namespace

cudaError_t kernel_task(Gpu& gpu, const cudaKernelNodeParams* parameters, KernelTask& task) {
    if (!parameters) return refuse(cudaErrorInvalidValue, "the parameters are null");
    if (parameters->extra)
        return refuse(cudaErrorNotSupported,
                      "kernel arguments in the \"extra\" form are not implemented on the "
                      "virtual GPU: use kernelParams");
    return prepare_kernel(
        gpu, parameters->func,
        {.grid = parameters->gridDim, .block = parameters->blockDim, .shared = parameters->sharedMemBytes},
        parameters->kernelParams, task);
}

cudaError_t copy_task(Gpu& gpu, const cudaMemcpy3DParms* parameters, CopyTask& task) {
    if (!parameters) return refuse(cudaErrorInvalidValue, "the parameters are null");
    if (Box{parameters->extent.width, parameters->extent.height, parameters->extent.depth}.empty())
        return refuse(cudaErrorInvalidValue, "the extent is empty");
    // Recorded on an H200: a single row gets as far as the driver, which refuses it with another code.
    const bool single_row = parameters->extent.height == 1 && parameters->extent.depth == 1;
    const cudaError_t bad = read_parameters(gpu, *parameters, task);
    if (bad != cudaSuccess) return bad == cudaErrorInvalidPitchValue && single_row ? cudaErrorInvalidValue : bad;
    Side to, from;
    return check_copy(gpu, task, to, from);
}

cudaError_t copy_task_1d(Gpu& gpu, void* dst, const void* src, std::size_t count, cudaMemcpyKind kind, CopyTask& task) {
    if (count == 0) return refuse(cudaErrorInvalidValue, "a copy node copies at least one byte");
    task = {.dst = {.pointer = dst}, .src = {.pointer = src}, .box = {.width = count}, .kind = kind};
    Side to, from;
    return check_copy(gpu, task, to, from);
}

cudaError_t fill_task(Gpu& gpu, const cudaMemsetParams* parameters, FillTask& task) {
    if (!parameters) return refuse(cudaErrorInvalidValue, "the parameters are null");
    const unsigned size = parameters->elementSize;
    if (size != 1 && size != 2 && size != 4)
        return refuse(cudaErrorInvalidValue, "elementSize is {}, and may be 1, 2 or 4", size);
    std::size_t width;
    if (parameters->width == 0 || parameters->height == 0 ||
        __builtin_mul_overflow(parameters->width, std::size_t{size}, &width))
        return refuse(cudaErrorInvalidValue, "width or height is zero or too large");
    if (parameters->height > 1 && parameters->pitch < width)
        return refuse(cudaErrorInvalidValue, "rows of {} bytes do not fit a pitch of {}", width, parameters->pitch);
    if (reinterpret_cast<Address>(parameters->dst) % size != 0)
        return refuse(cudaErrorInvalidValue, "dst is not aligned to elementSize");
    task = {.dst = {.pointer = parameters->dst, .pitch = parameters->pitch},
            .box = {.width = width, .height = parameters->height},
            .value = parameters->value,
            .element = size};
    Side to;
    return check_fill(gpu, task, to);
}

cudaError_t host_task(const cudaHostNodeParams* parameters, HostTask& task) {
    if (!parameters || !parameters->fn) return refuse(cudaErrorInvalidValue, "there is no host function");
    task = {parameters->fn, parameters->userData};
    return cudaSuccess;
}

cudaError_t generic_task(Gpu& gpu, cudaGraphNodeParams* parameters, Task& task) {
    if (!parameters) return refuse(cudaErrorInvalidValue, "the parameters are null");
    switch (parameters->type) {
        case cudaGraphNodeTypeKernel: {
            const auto& kernel = parameters->kernel;
            cudaKernelNodeParams same{};
            same.func = kernel.func, same.gridDim = kernel.gridDim, same.blockDim = kernel.blockDim;
            same.sharedMemBytes = kernel.sharedMemBytes;
            same.kernelParams = kernel.kernelParams, same.extra = kernel.extra;
            return kernel_task(gpu, &same, task.emplace<KernelTask>());
        }
        case cudaGraphNodeTypeMemcpy:
            return copy_task(gpu, &parameters->memcpy.copyParams, task.emplace<CopyTask>());
        case cudaGraphNodeTypeMemset: {
            const auto& memset = parameters->memset;
            const cudaMemsetParams same{memset.dst,         memset.pitch, memset.value,
                                        memset.elementSize, memset.width, memset.height};
            return fill_task(gpu, &same, task.emplace<FillTask>());
        }
        case cudaGraphNodeTypeHost: {
            const cudaHostNodeParams same{parameters->host.fn, parameters->host.userData};
            return host_task(&same, task.emplace<HostTask>());
        }
        case cudaGraphNodeTypeEmpty:
            task.emplace<EmptyTask>();
            return cudaSuccess;
        case cudaGraphNodeTypeWaitEvent:
            if (!gpu.event(parameters->eventWait.event)) return cudaErrorInvalidValue;
            task = WaitTask{parameters->eventWait.event};
            return cudaSuccess;
        case cudaGraphNodeTypeEventRecord:
            if (!gpu.event(parameters->eventRecord.event)) return cudaErrorInvalidValue;
            task = RecordTask{parameters->eventRecord.event};
            return cudaSuccess;
        default:
            if (parameters->type < cudaGraphNodeTypeKernel || parameters->type >= cudaGraphNodeTypeCount)
                return refuse(cudaErrorInvalidValue, "there are no nodes of type {}",
                              static_cast<int>(parameters->type));
            return refuse(cudaErrorNotSupported, "nodes of type {} are not implemented on the virtual GPU",
                          static_cast<int>(parameters->type));
    }
}

cudaError_t cudaGraphKernelNodeGetParams(Gpu& gpu, cudaGraphNode_t handle, cudaKernelNodeParams* pNodeParams) {
    const KernelTask* task = task_of<KernelTask>(gpu, handle);
    if (!task || !pNodeParams) return cudaErrorInvalidValue;
    Node& node = *gpu.graphs->nodes.find(handle);
    node.arguments.clear();
    for (const KernelInfo::Parameter& parameter : task->info->parameters)
        node.arguments.push_back(const_cast<std::byte*>(task->parameters.data()) + parameter.offset);
    *pNodeParams = {};
    pNodeParams->func = const_cast<void*>(task->function);
    pNodeParams->gridDim = task->grid;
    pNodeParams->blockDim = task->block;
    pNodeParams->sharedMemBytes = task->shared;
    pNodeParams->kernelParams = node.arguments.data();
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(Gpu& gpu, cudaGraphNode_t node, const cudaKernelNodeParams* pNodeParams) {
    const KernelTask* before = task_of<KernelTask>(gpu, node);
    if (!before) return cudaErrorInvalidValue;
    KernelTask task;
    if (const cudaError_t bad = kernel_task(gpu, pNodeParams, task); bad != cudaSuccess) return bad;
    task.attributes = before->attributes;
    return replace(gpu, node, std::move(task));
}

cudaError_t cudaGraphKernelNodeSetAttribute(Gpu& gpu, cudaGraphNode_t hNode, cudaKernelNodeAttrID attr,
                                            const cudaKernelNodeAttrValue* value) {
    const KernelTask* before = task_of<KernelTask>(gpu, hNode);
    if (!before || !value) return cudaErrorInvalidValue;
    // A hint to the scheduler that an H200 takes and does not give back.
    if (attr == cudaLaunchAttributeNvlinkUtilCentricScheduling) return cudaSuccess;
    if (attr == cudaLaunchAttributeDeviceUpdatableKernelNode && value->deviceUpdatableKernelNode.deviceUpdatable)
        return refuse(cudaErrorNotSupported, "kernels can't update graphs of the virtual GPU");
    if (const cudaError_t bad = check_attribute(gpu, attr, *value); bad != cudaSuccess) return bad;
    KernelTask task = *before;
    task.attributes[attr] = *value;
    if (attr == cudaLaunchAttributeCooperative) task.cooperative = value->cooperative != 0;
    return replace(gpu, hNode, std::move(task));
}

cudaError_t cudaGraphKernelNodeGetAttribute(Gpu& gpu, cudaGraphNode_t hNode, cudaKernelNodeAttrID attr,
                                            cudaKernelNodeAttrValue* value_out) {
    const KernelTask* task = task_of<KernelTask>(gpu, hNode);
    if (!task || !value_out) return cudaErrorInvalidValue;
    const auto found = task->attributes.find(attr);
    const cudaLaunchAttributeValue unset{};
    if (const cudaError_t bad = check_attribute(gpu, attr, unset); bad != cudaSuccess) return bad;
    *value_out = found == task->attributes.end() ? unset : found->second;
    if (attr == cudaLaunchAttributeCooperative) value_out->cooperative = task->cooperative;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeCopyAttributes(Gpu& gpu, cudaGraphNode_t hDst, cudaGraphNode_t hSrc) {
    const KernelTask* to = task_of<KernelTask>(gpu, hDst);
    const KernelTask* from = to ? task_of<KernelTask>(gpu, hSrc) : nullptr;
    if (!from) return cudaErrorInvalidValue;
    KernelTask task = *to;
    task.attributes = from->attributes;
    task.cooperative = from->cooperative;
    return replace(gpu, hDst, std::move(task));
}

cudaError_t cudaGraphMemcpyNodeGetParams(Gpu& gpu, cudaGraphNode_t node, cudaMemcpy3DParms* pNodeParams) {
    const CopyTask* task = task_of<CopyTask>(gpu, node);
    if (!task || !pNodeParams) return cudaErrorInvalidValue;
    *pNodeParams = parameters_of(gpu, *task);
    return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeSetParams(Gpu& gpu, cudaGraphNode_t node, const cudaMemcpy3DParms* pNodeParams) {
    CopyTask task;
    if (!task_of<CopyTask>(gpu, node)) return cudaErrorInvalidValue;
    if (const cudaError_t bad = copy_task(gpu, pNodeParams, task); bad != cudaSuccess) return bad;
    return replace(gpu, node, std::move(task));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(Gpu& gpu, cudaGraphNode_t node, void* dst, const void* src,
                                           std::size_t count, cudaMemcpyKind kind) {
    CopyTask task;
    if (!task_of<CopyTask>(gpu, node)) return cudaErrorInvalidValue;
    if (const cudaError_t bad = copy_task_1d(gpu, dst, src, count, kind, task); bad != cudaSuccess) return bad;
    return replace(gpu, node, std::move(task));
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(Gpu& gpu, cudaGraphNode_t node, const void* symbol, const void* src,
                                                 std::size_t count, std::size_t offset, cudaMemcpyKind kind) {
    CopyTask task;
    if (!task_of<CopyTask>(gpu, node)) return cudaErrorInvalidValue;
    const cudaError_t bad = symbol_copy(gpu, symbol, src, count, offset, kind, cudaMemcpyHostToDevice, task);
    return bad != cudaSuccess ? bad : replace(gpu, node, std::move(task));
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(Gpu& gpu, cudaGraphNode_t node, void* dst, const void* symbol,
                                                   std::size_t count, std::size_t offset, cudaMemcpyKind kind) {
    CopyTask task;
    if (!task_of<CopyTask>(gpu, node)) return cudaErrorInvalidValue;
    const cudaError_t bad = symbol_copy(gpu, symbol, dst, count, offset, kind, cudaMemcpyDeviceToHost, task);
    return bad != cudaSuccess ? bad : replace(gpu, node, std::move(task));
}

cudaError_t cudaGraphMemsetNodeGetParams(Gpu& gpu, cudaGraphNode_t node, cudaMemsetParams* pNodeParams) {
    const FillTask* task = task_of<FillTask>(gpu, node);
    if (!task || !pNodeParams) return cudaErrorInvalidValue;
    *pNodeParams = {.dst = const_cast<void*>(task->dst.pointer),
                    .pitch = task->dst.pitch,
                    .value = task->value,
                    .elementSize = task->element,
                    .width = task->box.width / task->element,
                    .height = task->box.height};
    return cudaSuccess;
}

cudaError_t cudaGraphMemsetNodeSetParams(Gpu& gpu, cudaGraphNode_t node, const cudaMemsetParams* pNodeParams) {
    FillTask task;
    if (!task_of<FillTask>(gpu, node)) return cudaErrorInvalidValue;
    if (const cudaError_t bad = fill_task(gpu, pNodeParams, task); bad != cudaSuccess) return bad;
    return replace(gpu, node, std::move(task));
}

cudaError_t cudaGraphHostNodeGetParams(Gpu& gpu, cudaGraphNode_t node, cudaHostNodeParams* pNodeParams) {
    const HostTask* task = task_of<HostTask>(gpu, node);
    if (!task || !pNodeParams) return cudaErrorInvalidValue;
    *pNodeParams = {task->function, task->argument};
    return cudaSuccess;
}

cudaError_t cudaGraphHostNodeSetParams(Gpu& gpu, cudaGraphNode_t node, const cudaHostNodeParams* pNodeParams) {
    HostTask task;
    if (!task_of<HostTask>(gpu, node)) return cudaErrorInvalidValue;
    if (const cudaError_t bad = host_task(pNodeParams, task); bad != cudaSuccess) return bad;
    return replace(gpu, node, task);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(Gpu& gpu, cudaGraphNode_t node, cudaGraph_t* pGraph) {
    const ChildTask* task = task_of<ChildTask>(gpu, node);
    if (!task || !pGraph) return cudaErrorInvalidValue;
    *pGraph = task->graph;
    return cudaSuccess;
}

cudaError_t cudaGraphEventRecordNodeGetEvent(Gpu& gpu, cudaGraphNode_t node, cudaEvent_t* event_out) {
    const RecordTask* task = task_of<RecordTask>(gpu, node);
    if (!task || !event_out) return cudaErrorInvalidValue;
    *event_out = task->event;
    return cudaSuccess;
}

cudaError_t cudaGraphEventRecordNodeSetEvent(Gpu& gpu, cudaGraphNode_t node, cudaEvent_t event) {
    if (!task_of<RecordTask>(gpu, node) || !gpu.event(event)) return cudaErrorInvalidValue;
    return replace(gpu, node, RecordTask{event});
}

cudaError_t cudaGraphEventWaitNodeGetEvent(Gpu& gpu, cudaGraphNode_t node, cudaEvent_t* event_out) {
    const WaitTask* task = task_of<WaitTask>(gpu, node);
    if (!task || !event_out) return cudaErrorInvalidValue;
    *event_out = task->event;
    return cudaSuccess;
}

cudaError_t cudaGraphEventWaitNodeSetEvent(Gpu& gpu, cudaGraphNode_t node, cudaEvent_t event) {
    if (!task_of<WaitTask>(gpu, node) || !gpu.event(event)) return cudaErrorInvalidValue;
    return replace(gpu, node, WaitTask{event});
}

cudaError_t cudaGraphMemAllocNodeGetParams(Gpu& gpu, cudaGraphNode_t node, cudaMemAllocNodeParams* params_out) {
    const AllocateTask* task = task_of<AllocateTask>(gpu, node);
    if (!task || !params_out) return cudaErrorInvalidValue;
    *params_out = task->parameters;
    return cudaSuccess;
}

cudaError_t cudaGraphMemFreeNodeGetParams(Gpu& gpu, cudaGraphNode_t node, void* dptr_out) {
    const FreeTask* task = task_of<FreeTask>(gpu, node);
    if (!task || !dptr_out) return cudaErrorInvalidValue;
    *static_cast<void**>(dptr_out) = task->pointer;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetParams(Gpu& gpu, cudaGraphNode_t handle, cudaGraphNodeParams* nodeParams) {
    const Node* node = find_node(gpu, handle);
    if (!node || !nodeParams) return cudaErrorInvalidValue;
    if (type_of(*node->task) != nodeParams->type) return refuse(cudaErrorInvalidValue, "a node's type cannot change");
    Task task;
    if (const cudaError_t bad = generic_task(gpu, nodeParams, task); bad != cudaSuccess) return bad;
    if (auto* kernel = std::get_if<KernelTask>(&task))
        kernel->attributes = std::get<KernelTask>(*node->task).attributes;
    gpu.graphs->nodes.find(handle)->task = std::make_shared<const Task>(std::move(task));
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
