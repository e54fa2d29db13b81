#include "runtime_wrappers/virtual_gpu/check/uses.h"

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/memory/address_space.h"

namespace cudash::virtual_gpu {
namespace {

/// What only the device uses: memory that the host shares has an order of its own.
bool is_device_memory(const Allocation& allocation) {
    return allocation.kind == MemoryKind::device || allocation.kind == MemoryKind::variable;
}

}  // namespace

void Uses::settle(const AddressSpace& memory) {
    const auto view = memory.snapshot();
    for (std::vector<Piece>& each : pieces) {
        if (each.empty()) continue;
        std::stable_sort(each.begin(), each.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
        std::vector<Piece> settled;
        auto at = std::partition_point(view->begin(), view->end(), [&](const Allocation& allocation) {
            return allocation.end() <= each.front().begin;
        });
        std::uint64_t seen = 0;
        for (Piece piece : each) {
            piece.begin = std::max(piece.begin, seen);
            while (piece.begin < piece.end) {
                while (at != view->end() && at->end() <= piece.begin) ++at;
                if (at == view->end() || at->begin >= piece.end) break;
                const std::uint64_t begin = std::max(piece.begin, at->begin), end = std::min(piece.end, at->end());
                if (is_device_memory(*at)) settled.push_back({begin, end, piece.line, at->serial});
                piece.begin = end;
            }
            seen = std::max(seen, piece.end);
        }
        each = std::move(settled);
    }
}

}  // namespace cudash::virtual_gpu
