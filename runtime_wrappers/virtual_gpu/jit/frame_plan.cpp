// The part of the plan that says which registers the warp's frame has as they are, because nothing has changed them
// since it had them. Compiled code that ends doesn't give those back; what it doesn't read it doesn't even take.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/jit/kernel_plan.h"

namespace cudash::virtual_gpu {
namespace {

/// False: something was taken out.
bool keep_only(std::set<std::uint32_t>& some, const std::set<std::uint32_t>& those) {
    return std::erase_if(some, [&](std::uint32_t r) { return !those.contains(r); }) == 0;
}

}  // namespace

/// What is in the frame behind it; the lanes that a masked piece hands over before a turn go on from there, too.
std::set<std::uint32_t> KernelPlan::left_in_frame(const Piece& piece) const {
    std::set<std::uint32_t> made = piece.in_frame;
    for (std::uint32_t i = piece.first; i <= piece.last; ++i)
        for (std::uint32_t r : plans_[i].writes) {
            if (plans_[i].work == Work::handler)
                made.insert(r);
            else
                made.erase(r);
        }
    // Progressions are handed over as words.
    if (is_turn(piece.last)) std::erase_if(made, [&](std::uint32_t r) { return bytes_of(r) != 0; });
    return made;
}

void KernelPlan::find_in_frame() {
    const auto takes = [&](const Piece& piece, std::uint32_t r) {
        return !piece.is_entry || !piece.shapes.at(r).affine || bytes_of(r) == 0;
    };
    std::vector<std::uint32_t> queue;
    for (std::uint32_t p = 0; p < pieces_.size(); ++p) {
        Piece& piece = pieces_[p];
        if (!piece.reached) continue;
        for (std::uint32_t r : piece.carried)
            if (takes(piece, r)) piece.in_frame.insert(r);
        queue.push_back(p);
    }
    while (!queue.empty()) {
        const Piece& piece = pieces_[queue.back()];
        queue.pop_back();
        const std::set<std::uint32_t> left = left_in_frame(piece);
        const auto lead_to = [&](std::uint32_t to) {
            if (!keep_only(pieces_[to].in_frame, left)) queue.push_back(to);
        };
        std::ranges::for_each(others_behind(piece), lead_to);
        std::ranges::for_each(piece.successors, lead_to);
        if (piece.is_masked() && is_turn(piece.last)) lead_to(piece_at(piece.last + 1));
    }
}

/// Others are neither read nor changed before code ends, or comes to where it takes them anew.
void KernelPlan::find_held() {
    std::vector<std::set<std::uint32_t>> passed(pieces_.size());  // neither read nor written there
    for (std::uint32_t p = 0; p < pieces_.size(); ++p) {
        Piece& piece = pieces_[p];
        if (!piece.reached) continue;
        passed[p] = piece.carried;
        for (std::uint32_t r : piece.carried)
            if (!piece.in_frame.contains(r)) piece.held.insert(r);
        for (std::uint32_t i = piece.first; i <= piece.last; ++i) {
            const auto use = [&](std::uint32_t r) {
                if (passed[p].erase(r) != 0) piece.held.insert(r);
            };
            std::ranges::for_each(plans_[i].reads, use);
            for (std::uint32_t r : plans_[i].writes) {
                if (plans_[i].may_keep || piece.kept.contains(r)) use(r);
                passed[p].erase(r);
            }
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t p = static_cast<std::uint32_t>(pieces_.size()); p-- > 0;) {
            Piece& piece = pieces_[p];
            if (!piece.reached) continue;
            const auto hold_for = [&](std::uint32_t next) {
                for (std::uint32_t r : pieces_[next].held)
                    if (passed[p].contains(r)) changed |= piece.held.insert(r).second;
            };
            std::ranges::for_each(piece.successors, hold_for);
            std::ranges::for_each(others_behind(piece), hold_for);
        }
    }
}

}  // namespace cudash::virtual_gpu
