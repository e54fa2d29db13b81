#include "runtime_wrappers/virtual_gpu/runtime/graph_memory.h"

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// A graph's memory, and how many of its users have not been freed where a new node goes.
struct Users {
    std::shared_ptr<GraphMemory> memory;
    int left = 0;
};

}  // namespace

std::shared_ptr<GraphMemory> GraphMemory::create(Gpu& gpu, int device, std::uint64_t size, cudaError_t& status) {
    Address address = 0;
    status = gpu.memory.allocate(address, size, {.device = device});
    if (status != cudaSuccess) return nullptr;
    std::shared_ptr<GraphMemory> made(new GraphMemory(gpu, device, address, size));
    AllocationRecord& block = *gpu.memory.record_at(address);
    block.graph = made.get();
    gpu.memory.resize(block, 0);  // counted while it is in use
    return made;
}

std::shared_ptr<GraphMemory> GraphMemory::find_or_create(Gpu& gpu, std::span<const cudaGraphNode_t> before, int device,
                                                         std::uint64_t size, cudaError_t& status) {
    const Node* first = before.empty() ? nullptr : gpu.graphs->nodes.find(before.front());
    const Graph* graph = first ? gpu.graphs->graphs.find(first->graph) : nullptr;
    if (!graph || !graph->allocates) return create(gpu, device, size, status);
    const std::set<cudaGraphNode_t> earlier = with_ancestors(gpu, before);
    std::map<Address, Users> users;
    for (const cudaGraphNode_t handle : graph->nodes) {
        const Node* node = gpu.graphs->nodes.find(handle);
        if (!node) continue;
        if (const auto* allocated = std::get_if<AllocateTask>(&*node->task)) {
            Users& each = users[allocated->memory->address()];
            each.memory = allocated->memory;
            ++each.left;
        } else if (const auto* freed = std::get_if<FreeTask>(&*node->task); freed && earlier.contains(handle)) {
            --users[reinterpret_cast<Address>(freed->pointer)].left;
        }
    }
    for (const auto& [address, each] : users)
        if (each.memory && each.left == 0 && each.memory->size() == size && each.memory->device() == device)
            return each.memory;
    return create(gpu, device, size, status);
}

GraphMemory::~GraphMemory() {
    AllocationRecord* block = gpu_.memory.record_at(address_);
    if (!block || block->graph != this) return;
    block->graph = nullptr;
    if (in_use_)
        gpu_.graphs->memory_use[device_].end(size_);
    else
        gpu_.memory.forget(address_);
}

void GraphMemory::set_in_use(bool in_use) {
    if (in_use_ == in_use) return;
    in_use_ = in_use;
    if (AllocationRecord* block = gpu_.memory.record_at(address_)) gpu_.memory.resize(*block, in_use ? size_ : 0);
    GraphMemoryUse& use = gpu_.graphs->memory_use[device_];
    if (in_use)
        use.begin(size_);
    else
        use.end(size_);
}

cudaError_t cudaDeviceGraphMemTrim(Gpu& gpu, int device) {
    if (!gpu.has_device(device)) return refuse(cudaErrorInvalidDevice, "there is no device {}", device);
    gpu.graphs->memory_use[device].trim();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetGraphMemAttribute(Gpu& gpu, int device, cudaGraphMemAttributeType attr, void* value) {
    if (!value) return cudaErrorInvalidValue;
    if (!gpu.has_device(device)) return refuse(cudaErrorInvalidDevice, "there is no device {}", device);
    const GraphMemoryUse& use = gpu.graphs->memory_use[device];
    auto* number = static_cast<std::uint64_t*>(value);
    switch (attr) {
        case cudaGraphMemAttrUsedMemCurrent:
            *number = use.mapped;
            return cudaSuccess;
        case cudaGraphMemAttrUsedMemHigh:
            *number = use.used_high;
            return cudaSuccess;
        case cudaGraphMemAttrReservedMemCurrent:
            *number = use.mapped;
            return cudaSuccess;
        case cudaGraphMemAttrReservedMemHigh:
            *number = use.reserved_high;
            return cudaSuccess;
    }
    return refuse(cudaErrorInvalidValue, "there is no graph memory attribute {}", static_cast<int>(attr));
}

cudaError_t cudaDeviceSetGraphMemAttribute(Gpu& gpu, int device, cudaGraphMemAttributeType attr, void* value) {
    if (!value) return cudaErrorInvalidValue;
    if (!gpu.has_device(device)) return refuse(cudaErrorInvalidDevice, "there is no device {}", device);
    const bool high = attr == cudaGraphMemAttrUsedMemHigh || attr == cudaGraphMemAttrReservedMemHigh;
    if (!high || *static_cast<std::uint64_t*>(value) != 0)
        return refuse(cudaErrorInvalidValue, "only the high marks can be set, and only to zero");
    GraphMemoryUse& use = gpu.graphs->memory_use[device];
    if (attr == cudaGraphMemAttrUsedMemHigh)
        use.used_high = use.mapped;
    else
        use.reserved_high = use.mapped;
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
