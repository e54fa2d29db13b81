#include "runtime_wrappers/virtual_gpu/check/uses.h"

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/memory/address_space.h"

namespace cudash::virtual_gpu {
namespace {

/// Managed memory moves between host and device, which has an order of its own.
bool is_compared(const Allocation& allocation) {
    return allocation.kind == MemoryKind::device || allocation.kind == MemoryKind::variable ||
           allocation.kind == MemoryKind::pinned || allocation.kind == MemoryKind::registered;
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
                const std::uint64_t until = std::min(piece.end, at->end());
                if (is_compared(*at))
                    settled.push_back({std::max(piece.begin, at->begin), until, piece.line, at->serial});
                piece.begin = until;
            }
            seen = std::max(seen, piece.end);
        }
        each = std::move(settled);
        if (each.empty()) continue;
        begin = std::min(begin, each.front().begin);
        end = std::max(end, each.back().end);
    }
}

}  // namespace cudash::virtual_gpu
