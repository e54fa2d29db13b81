// Copy nodes that name a variable of the session, which libcudart does not know: nodes for the variable's memory.
#include "runtime_wrappers/cuda/own_bodies.h"
#include "runtime_wrappers/cuda/real_gpu.h"

namespace cudash::cuda {
namespace {

using api::Function;

struct Part {
    const void* symbol;
    std::size_t count, offset;
    cudaMemcpyKind kind;
};

/// Finds the variable's bytes and gives them to `make`.
template <class Make>
cudaError_t to(RealGpu& gpu, const Part& part, Make make) {
    std::byte* dst = nullptr;
    const cudaError_t status =
        gpu.part_of_variable(part.symbol, part.count, part.offset, part.kind, cudaMemcpyHostToDevice, dst);
    return status == cudaSuccess ? make(dst) : status;
}

template <class Make>
cudaError_t from(RealGpu& gpu, const Part& part, Make make) {
    std::byte* src = nullptr;
    const cudaError_t status =
        gpu.part_of_variable(part.symbol, part.count, part.offset, part.kind, cudaMemcpyDeviceToHost, src);
    return status == cudaSuccess ? make(src) : status;
}

auto add_node(RealGpu& gpu) {
    return gpu.function<decltype(&::cudaGraphAddMemcpyNode1D)>(Function::cudaGraphAddMemcpyNode1D);
}
auto set_node(RealGpu& gpu) {
    return gpu.function<decltype(&::cudaGraphMemcpyNodeSetParams1D)>(Function::cudaGraphMemcpyNodeSetParams1D);
}
auto set_executable_node(RealGpu& gpu) {
    return gpu.function<decltype(&::cudaGraphExecMemcpyNodeSetParams1D)>(Function::cudaGraphExecMemcpyNodeSetParams1D);
}

}  // namespace

cudaError_t cudaGraphAddMemcpyNodeToSymbol(RealGpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t* pDependencies, std::size_t numDependencies,
                                           const void* symbol, const void* src, std::size_t count, std::size_t offset,
                                           cudaMemcpyKind kind) {
    return to(gpu, {symbol, count, offset, kind}, [&](void* dst) {
        return add_node(gpu)(pGraphNode, graph, pDependencies, numDependencies, dst, src, count, kind);
    });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(RealGpu& gpu, cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t* pDependencies, std::size_t numDependencies,
                                             void* dst, const void* symbol, std::size_t count, std::size_t offset,
                                             cudaMemcpyKind kind) {
    return from(gpu, {symbol, count, offset, kind}, [&](const void* src) {
        return add_node(gpu)(pGraphNode, graph, pDependencies, numDependencies, dst, src, count, kind);
    });
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(RealGpu& gpu, cudaGraphNode_t node, const void* symbol,
                                                 const void* src, std::size_t count, std::size_t offset,
                                                 cudaMemcpyKind kind) {
    return to(gpu, {symbol, count, offset, kind},
              [&](void* dst) { return set_node(gpu)(node, dst, src, count, kind); });
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(RealGpu& gpu, cudaGraphNode_t node, void* dst, const void* symbol,
                                                   std::size_t count, std::size_t offset, cudaMemcpyKind kind) {
    return from(gpu, {symbol, count, offset, kind},
                [&](const void* src) { return set_node(gpu)(node, dst, src, count, kind); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(RealGpu& gpu, cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                     const void* symbol, const void* src, std::size_t count,
                                                     std::size_t offset, cudaMemcpyKind kind) {
    return to(gpu, {symbol, count, offset, kind},
              [&](void* dst) { return set_executable_node(gpu)(hGraphExec, node, dst, src, count, kind); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(RealGpu& gpu, cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                       void* dst, const void* symbol, std::size_t count,
                                                       std::size_t offset, cudaMemcpyKind kind) {
    return from(gpu, {symbol, count, offset, kind},
                [&](const void* src) { return set_executable_node(gpu)(hGraphExec, node, dst, src, count, kind); });
}

}  // namespace cudash::cuda
