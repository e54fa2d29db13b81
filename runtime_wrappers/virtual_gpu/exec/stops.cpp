#include "runtime_wrappers/virtual_gpu/exec/stops.h"

#include <algorithm>
#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/affine.h"
#include "runtime_wrappers/virtual_gpu/exec/lockstep.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {
namespace {

/// Affine registers of `each` become lanes. In lockstep `first` has them for all warps.
class LookAtWarp final : public Stops::Look {
public:
    LookAtWarp(const Warp& first, Warp& each, bool together)
        : code_(*each.frame->code), first_(first), each_(each), together_(together) {}

    void bring(const std::vector<FrameRegister>* registers) override {
        std::size_t uniform = 0;
        for (const AffineRegister& r : code_.affine_registers) {
            if (registers && std::ranges::find(*registers, r.lanes, &FrameRegister::offset) == registers->end())
                continue;
            const Affine& here = *reinterpret_cast<const Affine*>(first_.registers + r.place);
            uniform += here.step == 0 && here.half == 0 && here.warp == 0;
            const Affine value = together_ ? here.of_warp(each_.index) : here;
            if (r.bytes == 8)
                expand(value, lanes<Lane64>(each_, r.lanes));
            else
                expand(value, lanes<Lane32>(each_, r.lanes));
        }
        differs |= !registers || uniform < registers->size();
    }

private:
    const Code& code_;  ///< who looks takes it for the code with stops
    const Warp& first_;
    Warp& each_;
    const bool together_;
};

/// The instruction is one of an affine form.
bool is_affine(const Instruction* i, const Code& code) {
    return code.steady_at != 0 && i - code.instructions.data() >= static_cast<std::ptrdiff_t>(code.steady_at);
}

/// Of a warp whose registers are where debug code has them.
class LookAtLanes final : public Stops::Look {
public:
    void bring(const std::vector<FrameRegister>*) override {}
};

void refuse(Warp& w) {
    w.block->fault = Fault{LaunchStatus::cancelled, {}};
    w.stop = Stop::fault;
}

}  // namespace

const Instruction* run_check(const Instruction* i, Warp& w) {
    Stops& stops = *w.block->launch->stops;
    LookAtWarp at_progressions(w, w, false);
    LookAtLanes at_lanes;
    Stops::Look* look = &at_lanes;
    if (is_affine(i, *w.frame->code)) look = &at_progressions;
    if (stops.passes(w, i->extra, *look)) return next(i, w);
    refuse(w);
    return nullptr;
}

const Instruction* run_check_together(const Instruction* i, Warp& w) {
    Stops& stops = *w.block->launch->stops;
    bool all_pass = true, differs = true;
    for_each_active_warp(w, [&](Warp& each) {
        if (!all_pass || !differs) return;
        LookAtWarp look(w, each, true);
        all_pass = stops.passes(each, i->extra, look);
        differs = look.differs;
    });
    if (all_pass) return next(i, w);
    refuse(w);
    return nullptr;
}

const Instruction* run_jump_to_next(const Instruction* i, Warp& w) {
    return next(i, w);
}

const Instruction* run_stop(const Instruction* i, Warp& w) {
    Stops* const stops = w.block->launch->stops;
    // A kernel that debug code launches is not debugged itself.
    if (!stops) return next(i, w);
    std::uint8_t mark = stops->marked[i->extra];
    if ((stops->moment >= stops->ask_at || (mark & Stops::asked)) && !stops->arrives(w, i)) [[unlikely]] {
        w.count_before(i);
        refuse(w);
        return nullptr;
    }
    mark = stops->marked[i->extra];  // breakpoints may have come
    stops->marked[i->extra] = static_cast<std::uint8_t>(mark | Stops::seen);
    w.stopped_at = stops->moment++;
    w.frame->last_stop = i;
    if (!(mark & Stops::foreign)) w.stepped = w.frame;
    return next(i, w);
}

}  // namespace cudash::virtual_gpu
