#include "runtime_wrappers/virtual_gpu/runtime/unfreed.h"

#include <algorithm>
#include <utility>

#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {

std::vector<host_check::Leak> unfreed_memory(const Gpu& gpu) {
    std::vector<std::pair<std::uint64_t, host_check::Leak>> leaks;  // by when they were allocated
    for (const auto& [address, block] : gpu.memory.records()) {
        // cudaDeviceReset takes pinned memory from the device and leaves the program its bytes.
        const auto allocation = gpu.memory.space->find(address);
        if (!allocation || allocation->begin != address || block.graph || block.free_issued) continue;
        if (allocation->origin.starts_with("__managed__")) continue;
        if (block.pool && block.made.where.file.empty()) continue;  // of before a cudaDeviceReset
        host_check::Leak leak{.bytes = block.size, .where = block.made.where, .target = block.made.target};
        switch (allocation->kind) {
            case MemoryKind::device:
                leak.kind = "device memory";
                break;
            case MemoryKind::managed:
                leak.kind = "managed memory";
                break;
            case MemoryKind::pinned:
                leak.kind = "page-locked memory";
                leak.frees = "cudaFreeHost";
                break;
            default:
                continue;
        }
        leaks.emplace_back(allocation->serial, std::move(leak));
    }
    std::sort(leaks.begin(), leaks.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<host_check::Leak> in_order;
    for (auto& [serial, leak] : leaks) in_order.push_back(std::move(leak));
    return in_order;
}

}  // namespace cudash::virtual_gpu::runtime
