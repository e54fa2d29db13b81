// Branches, guards, joins, exits and what the decoder adds for them.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/exec/affine.h"
#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/isa/decode.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {
namespace {

std::uint32_t guard_mask(const Instruction* i, Warp& w) {
    return w.mask & (predicate(w, i->guard & ~1u) ^ (0 - (i->guard & 1u)));
}

const Instruction* rejoin_of(const Instruction* i, const Warp& w) {
    return i->c == no_index ? nullptr : &w.frame->code->instructions[i->c];
}

[[gnu::always_inline]] inline const Instruction* go_to(const Instruction* i, Warp& w, const Instruction* target) {
    w.count_to(i);
    w.segment = target->counted_from;
    return go_to_target(target, w, target <= i);
}

/// Recursion without a loop must let others have a turn too, and a launch be stopped. Returns count, not calls: warps
/// that go down an endless recursion in turn would fill the memory together before the first one ends.
const Instruction* return_or_yield(const Instruction* i, Warp& w) {
    if (--w.slice > 0) return w.return_from_call(i);
    w.count_before(i);
    return w.yield(i);
}

const Instruction* run_guarded_return(const Instruction* i, Warp& w) {
    const std::uint32_t leaving = guard_mask(i, w);
    if (leaving == 0) return i + 1;
    if (leaving == w.mask) return return_or_yield(i, w);
    const Code& code = *w.frame->code;
    return w.diverge(i, leaving, &code.instructions[code.return_at], rejoin_of(i, w));
}

const Instruction* run_indexed_branch(const Instruction* i, Warp& w) {
    // A loop may have no other branch than this one: others get a turn, and a launch can be stopped.
    if (--w.slice <= 0) {
        w.count_before(i);
        return w.yield(i);
    }
    const auto& list = w.frame->code->branch_lists[i->extra];
    const auto& code = w.frame->code->instructions;
    const auto* index = lanes<std::uint32_t>(w, i->a);
    std::vector<Warp::Part> parts;
    for (std::uint32_t left = w.mask; left != 0;) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        if (index[lane] >= list.size())
            return raise(w, i, LaunchStatus::invalid_pc, "bad-branch-index",
                         "an indexed branch goes beyond its list of targets", static_cast<int>(lane));
        std::uint32_t same = 0;
        for_each_lane(left, [&](unsigned l) { same |= std::uint32_t{index[l] == index[lane]} << l; });
        parts.push_back({&code[list[index[lane]]], same});
        left &= ~same;
    }
    w.count_to(i);
    if (w.counts && parts.size() > 1) w.counts->diverged(*w.frame->code, i->ordinal, 1);
    return w.split(std::move(parts), rejoin_of(i, w));
}

const Instruction* run_trap(const Instruction* i, Warp& w) {
    const Launch& launch = *w.block->launch;
    // cooperative_groups traps when there is no workspace for a barrier of the grid.
    const bool lacks_workspace = launch.program->uses_grid_sync && launch.grid_workspace == 0;
    // NVRTC gives the traps that it makes itself no line.
    const bool compilers = !has_own_line(*w.frame->code, i);
    if (compilers && !lacks_workspace)
        return raise(w, i, LaunchStatus::launch_failure, "trap",
                     "the kernel reached what cannot be done, where the compiler put a trap", -1,
                     "it writes to a __constant__ variable, most likely: kernels only read those, and the host sets "
                     "them with cudaMemcpyToSymbol; memory that kernels write is __device__");
    return raise(w, i, LaunchStatus::launch_failure, "trap", "the kernel stopped itself with a trap", -1,
                 lacks_workspace ? "grid.sync() needs a cooperative launch: cudaLaunchCooperativeKernel" : "");
}

const Instruction* run_breakpoint(const Instruction* i, Warp& w) {
    return raise(w, i, LaunchStatus::launch_failure, "breakpoint",
                 "the kernel reached a breakpoint and no debugger is attached");
}

const Instruction* run_jump(const Instruction* i, Warp& w) {
    return go_to(i, w, i->target);
}

const Instruction* run_branch(const Instruction* i, Warp& w) {
    const std::uint32_t taken = guard_mask(i, w);
    if (taken == 0) return next(i, w);
    if (taken == w.mask) return go_to(i, w, i->target);
    if (i->target == i + 1) return next(i, w);
    if (i->target <= i) --w.slice;
    return w.diverge(i, taken, i->target, rejoin_of(i, w));
}

const Instruction* run_guarded_exit(const Instruction* i, Warp& w) {
    const std::uint32_t leaving = guard_mask(i, w);
    return leaving == 0 ? i + 1 : w.exit_lanes(i, leaving);
}

}  // namespace

const Instruction* run_guarded(const Instruction* i, Warp& w) {
    const std::uint32_t all = w.mask, active = guard_mask(i, w);
    if (active == 0) return i + 1;
    w.mask = active;
    const Instruction* next = i->inner(i, w);
    w.mask = all;
    return next;
}

const Instruction* run_join(const Instruction* i, Warp& w) {
    if (!w.join || w.join->at != i || w.join->frame != w.frame) return next(i, w);
    w.count_before(i);
    return w.arrive(i) ? i + 1 : nullptr;
}

const Instruction* run_turn(const Instruction* i, Warp& w) {
    const bool to_blocks = i->option != 0 && w.block->launch->interleaved;
    const bool to_warps = std::ranges::any_of(
        w.block->warps, [&](const Warp& other) { return &other != &w && !other.done() && other.runnable(); });
    if (!to_warps && !to_blocks) {
        // Registers that compiled code keeps are nothing that the interpreter's next instruction could read.
        if (w.block->compiled) return i + 1;
        return next(i, w);
    }
    w.block->offers_turn |= to_blocks;
    w.count_before(i);
    w.resume = i + 1;
    w.stop = Stop::turn;
    return nullptr;
}

const Instruction* run_skip(const Instruction* i, Warp& w) {
    const std::uint32_t stay = guard_mask(i, w), away = w.mask & ~stay;
    if (away == 0) return i + 1;
    w.count_before(i);
    if (stay == 0) {
        w.segment = i->target->counted_from;
        return i->target;
    }
    w.segment = i->ordinal + 1;  // the guarded instruction is counted where it is executed
    return w.diverge(i, away, i->target, rejoin_of(i, w));
}

const Instruction* run_pause(const Instruction* i, Warp&) {
    return i + 1;
}

const Instruction* run_end_of_steady(const Instruction*, Warp&) {
    return nullptr;
}

const Instruction* run_refused(const Instruction* i, Warp& w) {
    return raise(w, i, LaunchStatus::unsupported, "unsupported-instruction",
                 "the virtual GPU does not execute this instruction");
}

const Instruction* run_exit(const Instruction* i, Warp& w) {
    return w.exit_lanes(i, w.mask);
}
const Instruction* run_return(const Instruction* i, Warp& w) {
    return return_or_yield(i, w);
}

void select_bra(Site& site) {
    if (!site.label(site.operand(0).name)) return site.refuse("the label is not declared");
    site.run(site.written.guard.empty() ? Chosen{run_jump, run_jump_together}
                                        : Chosen{run_branch, run_branch_together});
}

void select_brx(Site& site) {
    if (!site.has(Mod::idx) || site.operands() != 2) return site.refuse();
    site.out.a = site.source(site.operand(0), ptx::Type::u32);
    std::vector<std::uint32_t> items;
    for (const std::string& name : site.branch_targets(site.operand(1).name)) {
        auto item = site.label(name);
        if (!item) return site.refuse("a label is not declared");
        items.push_back(*item);
    }
    if (items.empty()) return site.refuse("the list of targets is not declared");
    site.out.extra = static_cast<std::uint32_t>(site.code().branch_lists.size());
    site.code().branch_lists.push_back(std::move(items));
    site.run(run_indexed_branch);
}

void select_ret(Site& site) {
    if (site.in_kernel()) return select_exit(site);
    site.run(site.written.guard.empty() ? run_return : run_guarded_return);
}
void select_exit(Site& site) {
    site.run(site.written.guard.empty() ? Chosen{run_exit, run_exit_together}
                                        : Chosen{run_guarded_exit, run_guarded_exit_together});
}
void select_trap(Site& site) {
    site.run(run_trap);
}
void select_brkpt(Site& site) {
    site.run(run_breakpoint);
}

}  // namespace cudash::virtual_gpu
