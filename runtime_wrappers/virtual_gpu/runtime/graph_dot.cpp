// A graph as a DOT file (cudaGraphDebugDotPrint).
#include <fstream>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph.h"

namespace cudash::virtual_gpu::runtime {
namespace {

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

/// What a node's box says: its type and, where asked for, its parameters.
struct Label {
    bool details;

    std::string operator()(const EmptyTask&) const { return "EMPTY"; }
    std::string operator()(const KernelTask& task) const {
        if (!details) return escaped(task.display);
        return fmt::format("{}\\n<<<({}, {}, {}), ({}, {}, {}), {}>>>", escaped(task.display), task.grid.x, task.grid.y,
                           task.grid.z, task.block.x, task.block.y, task.block.z, task.shared);
    }
    std::string operator()(const CopyTask& task) const {
        return details ? fmt::format("MEMCPY\\n{} bytes", task.box.bytes()) : "MEMCPY";
    }
    std::string operator()(const FillTask& task) const {
        return details ? fmt::format("MEMSET\\n{} in {} bytes", task.value, task.box.bytes()) : "MEMSET";
    }
    std::string operator()(const HostTask&) const { return "HOST"; }
    std::string operator()(const CallbackTask&) const { return "HOST"; }
    std::string operator()(const RecordTask&) const { return "EVENT_RECORD"; }
    std::string operator()(const WaitTask&) const { return "WAIT_EVENT"; }
    std::string operator()(const PrefetchTask&) const { return "PREFETCH"; }
    std::string operator()(const AllocateTask& task) const {
        return details ? fmt::format("MEM_ALLOC\\n{} bytes", task.parameters.bytesize) : "MEM_ALLOC";
    }
    std::string operator()(const FreeTask&) const { return "MEM_FREE"; }
    std::string operator()(const ChildTask&) const { return "GRAPH"; }
    std::string operator()(const LibraryTask& task) const { return std::string(task.function); }
    std::string operator()(const ConditionalTask& task) const {
        constexpr std::string_view kinds[] = {"IF", "WHILE", "SWITCH"};
        return details ? fmt::format("CONDITIONAL\\n{} of {:#x}", kinds[task.type], task.handle) : "CONDITIONAL";
    }
    std::string operator()(const ConditionsTask&) const { return "EMPTY"; }
};

void write_graph(Gpu& gpu, std::ostream& out, const Graph& graph, int& number, bool details) {
    const int own = number++;
    out << fmt::format("subgraph cluster_{} {{\nlabel=\"graph_{}\" graph[style=\"dashed\"];\n", own, own);
    std::map<cudaGraphNode_t, std::size_t> index;
    for (const cudaGraphNode_t handle : graph.nodes) {
        const std::size_t id = index.size();
        index[handle] = id;
        out << fmt::format("\"graph_{}_node_{}\"[shape=\"rectangle\" label=\"{}\\n{}\"];\n", own, id, id,
                           std::visit(Label{details}, *gpu.graphs->nodes.find(handle)->task));
    }
    for (const cudaGraphNode_t handle : graph.nodes)
        for (const Edge& edge : gpu.graphs->nodes.find(handle)->dependents)
            out << fmt::format("\"graph_{}_node_{}\" -> \"graph_{}_node_{}\";\n", own, index.at(handle), own,
                               index.at(edge.node));
    out << "}\n";
    for (const cudaGraphNode_t handle : graph.nodes) {
        for (const cudaGraph_t graph_inside : owned_graphs(*gpu.graphs->nodes.find(handle)->task)) {
            const int inside = number;
            write_graph(gpu, out, *gpu.graphs->graphs.find(graph_inside), number, details);
            out << fmt::format("\"graph_{}_node_{}\" -> \"graph_{}_node_0\"[style=\"dotted\"];\n", own,
                               index.at(handle), inside);
        }
    }
}

}  // namespace

cudaError_t cudaGraphDebugDotPrint(Gpu& gpu, cudaGraph_t graph, const char* path, unsigned flags) {
    const Graph* found = find_graph(gpu, graph);
    if (!found || !path) return cudaErrorInvalidValue;
    std::ofstream out(path);
    if (!out) return refuse(cudaErrorOperatingSystem, "the file {} cannot be written", path);
    int number = 1;
    out << "digraph dot {\n";
    write_graph(gpu, out, *found, number, flags != 0);
    out << "}\n";
    return out.good() ? cudaSuccess : cudaErrorOperatingSystem;
}

}  // namespace cudash::virtual_gpu::runtime
