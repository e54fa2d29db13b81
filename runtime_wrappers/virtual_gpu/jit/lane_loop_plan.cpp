// The part of the plan that finds the loops that are run for one lane after the other: those in which the lanes part,
// and which do hardly more than load from places all over memory, as where rows of a sparse matrix are summed up. A
// processor loads those one by one in any case, and a lane that is through does not wait for the others.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/jit/kernel_plan.h"

namespace cudash::virtual_gpu {

void KernelPlan::find_lane_loops() {
    for (std::uint32_t p = 0; p < pieces_.size(); ++p) pieces_[p].by_lane = pieces_[p].reached && is_lane_loop(p);
}

/// One piece that leads to itself or to where its lanes meet.
bool KernelPlan::is_lane_loop(std::uint32_t p) const {
    const Piece& piece = pieces_[p];
    const Parting* const parts = parting(p);
    if (!parts || parts->taken != p || parts->rest != no_index || parts->taken_pieces.size() != 1) return false;
    const Instruction& last = code_.instructions[piece.last];
    const bool counts_all = code_.instructions[piece.last + 1].ordinal == last.ordinal + 1;
    return counts_all && may_run_by_lane(piece) && pays_by_lane(piece);
}

/// Nothing that others could see changes in it, so that it may be left at any time as if it had not begun.
bool KernelPlan::may_run_by_lane(const Piece& piece) const {
    for (std::uint32_t i = piece.first; i < piece.last; ++i) switch (plans_[i].work) {
            case Work::nothing:
            case Work::compute:
            case Work::compare:
            case Work::copy:
            case Work::special:
            case Work::choose:
            case Work::combine:
            case Work::parameter:
            case Work::load:
                break;
            default:
                return false;
        }
    // Of a progression no lane has more than its own number.
    return std::ranges::all_of(piece.held, [&](std::uint32_t r) {
        const LaneShape& shape = piece.shapes.at(r);
        const auto writes = [&](const Plan& plan) { return std::ranges::find(plan.writes, r) != plan.writes.end(); };
        return !shape.affine || shape.is_uniform() ||
               std::none_of(plans_.begin() + piece.first, plans_.begin() + piece.last + 1, writes);
    });
}

/// A load that waits for what the last round loaded would keep one lane waiting: 32 lanes have 32 such loads under way.
bool KernelPlan::is_chase(const Piece& piece) const {
    std::set<std::uint32_t> loaded;  // registers that follow from what earlier rounds loaded
    const auto note = [](std::set<std::uint32_t>& those, std::uint32_t r, bool is_one) {
        if (is_one)
            those.insert(r);
        else
            those.erase(r);
    };
    for (bool changed = true; changed;) {
        std::set<std::uint32_t> now = loaded, earlier = loaded;
        for (std::uint32_t i = piece.first; i <= piece.last; ++i) {
            const Plan& plan = plans_[i];
            const auto follows = [&](const std::set<std::uint32_t>& from) {
                return std::ranges::any_of(plan.reads, [&](std::uint32_t r) { return from.contains(r); });
            };
            if (plan.work == Work::load && follows(earlier)) return true;
            const bool is_loaded = plan.work == Work::load || follows(now), is_earlier = follows(earlier);
            for (std::uint32_t r : plan.writes) {
                note(now, r, is_loaded);
                note(earlier, r, is_earlier);
            }
        }
        std::erase_if(now, [&](std::uint32_t r) { return !piece.live_in.contains(r); });
        changed = now != loaded;
        loaded = std::move(now);
    }
    return false;
}

bool KernelPlan::pays_by_lane(const Piece& piece) const {
    constexpr unsigned most_for_a_load = 3;  // instructions that vectors would do for all lanes
    constexpr unsigned narrow_load = 3;      // processors gather 4 and 8 bytes only
    unsigned scattered = 0, others = 0;
    Shapes shapes = piece.shapes;
    for (std::uint32_t i = piece.first; i < piece.last; ++i) {
        const Plan& plan = plans_[i];
        const bool is_scattered = plan.work == Work::load && !shape_in(shapes, code_.instructions[i].a).affine;
        if (is_scattered) scattered += plan.element < 4 ? narrow_load : 1;
        others += !is_scattered && plan.work != Work::nothing;
        step_shapes(piece, i, shapes);
    }
    return scattered != 0 && others <= most_for_a_load * scattered && !is_chase(piece);
}

}  // namespace cudash::virtual_gpu
