#include "runtime_wrappers/virtual_gpu/runtime/leaks.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {
namespace {

constexpr std::size_t most_places = 10;

/// What one place allocated.
struct Group {
    const Leak* first;
    std::uint64_t count, bytes;
};

bool same_place(const Leak& a, const Leak& b) {
    return a.where.file == b.where.file && a.where.line == b.where.line && a.target == b.target &&
           std::string_view(a.kind) == b.kind;
}

std::string amount(const Group& group) {
    return group.count == 1
               ? fmt::format("{} bytes of {}", group.bytes, group.first->kind)
               : fmt::format("{} bytes of {} in {} allocations", group.bytes, group.first->kind, group.count);
}

}  // namespace

std::optional<Diagnostic> describe_leaks(std::span<const Leak> leaks) {
    if (leaks.empty()) return std::nullopt;
    std::vector<Group> groups;
    std::uint64_t bytes = 0;
    for (const Leak& leak : leaks) {
        bytes += leak.bytes;
        const auto known = std::find_if(groups.begin(), groups.end(),
                                        [&](const Group& group) { return same_place(*group.first, leak); });
        if (known == groups.end()) {
            groups.push_back({&leak, 1, leak.bytes});
        } else {
            ++known->count;
            known->bytes += leak.bytes;
        }
    }
    Diagnostic found = error("leak", "");
    found.severity = Diagnostic::Severity::warning;
    const Leak& first = *groups.front().first;
    found.where = first.where;
    if (groups.size() == 1) {
        found.message = fmt::format("{}{} {} never freed", amount(groups.front()),
                                    first.target.empty() ? "" : fmt::format(" ({})", first.target),
                                    groups.front().count == 1 ? "is" : "are");
    } else {
        found.message = fmt::format("{} bytes in {} allocations are never freed", bytes, leaks.size());
        for (std::size_t i = 0; i < std::min(groups.size(), most_places); ++i) {
            const Leak& leak = *groups[i].first;
            found.notes.push_back(
                {amount(groups[i]) + (leak.target.empty() ? "" : fmt::format(" ({})", leak.target)), leak.where});
        }
        if (groups.size() > most_places)
            found.notes.push_back({fmt::format("and at {} more places", groups.size() - most_places), {}});
    }
    found.hint = fmt::format("{}({}) after the last use", first.frees, first.target.empty() ? "pointer" : first.target);
    return found;
}

std::optional<Diagnostic> find_leaks(const Gpu& gpu) {
    std::vector<std::pair<std::uint64_t, Leak>> leaks;  // by when they were allocated
    for (const auto& [address, block] : gpu.blocks) {
        // cudaDeviceReset takes pinned memory from the device and leaves the program its bytes.
        const auto allocation = gpu.memory->find(address);
        if (!allocation || allocation->begin != address || block.graph || block.free_issued) continue;
        if (allocation->origin.starts_with("__managed__")) continue;
        Leak leak{.bytes = block.size, .where = block.made.where, .target = block.made.target};
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
    std::vector<Leak> in_order;
    for (auto& [serial, leak] : leaks) in_order.push_back(std::move(leak));
    return describe_leaks(in_order);
}

}  // namespace cudash::virtual_gpu::runtime
