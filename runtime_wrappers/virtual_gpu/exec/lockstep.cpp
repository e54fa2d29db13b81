#include "runtime_wrappers/virtual_gpu/exec/lockstep.h"

#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/affine.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {
namespace {

std::uint32_t guard_mask(const Instruction* i, Warp& w) {
    return w.mask & (predicate(w, i->guard & ~1u) ^ (0 - (i->guard & 1u)));
}

void count_to(const Instruction* last, Warp& first) {
    count_until_in_lockstep(first, last->ordinal + 1);
}
void count_before(const Instruction* next, Warp& first) {
    count_until_in_lockstep(first, next->counted_from);
    first.segment = next->counted_from;
}

void activate_all(Warp& first) {
    Lockstep& lockstep = first.block->lockstep;
    const auto count = static_cast<std::uint32_t>(first.block->warps.size());
    for (std::uint32_t k = 0; k < count; ++k) (&first)[k].mask = full_mask;
    lockstep.masked = false;
    lockstep.first = 0;
    lockstep.last = count - 1;
    lockstep.warps = count;
    lockstep.threads = std::uint64_t{count} * warp_size;
}

/// As run_each_warp, for the lanes whose guard is true; the affine sources are given to each warp first.
template <unsigned Sources>
const Instruction* run_each_guarded(const Instruction* i, Warp& w) {
    bool faulted = false;
    const Affine a = Sources > 0 ? affine(w, i->a) : Affine{}, b = Sources > 1 ? affine(w, i->b) : Affine{};
    for_each_storing_warp(w, [&](Warp& each) {
        const std::uint32_t all = each.mask, active = guard_mask(i, each);
        if (active == 0 || faulted) return;
        if (each.index != 0) {
            if (Sources > 0) affine(each, i->a) = a.of_warp(each.index);
            if (Sources > 1) affine(each, i->b) = b.of_warp(each.index);
        }
        each.mask = active;
        faulted = i->inner(i, each) == nullptr;
        each.mask = all;
    });
    return faulted ? fault_in_lockstep(w) : next(i, w);
}

}  // namespace

const Instruction* run_jump_together(const Instruction* i, Warp& w) {
    return go_to_in_lockstep(i, w, i->target);
}

const Instruction* run_branch_together(const Instruction* i, Warp& w) {
    std::uint32_t bits[most_warps];
    for_each_active_warp(w, [&](Warp& each) { bits[each.index] = predicate(each, i->guard & ~1u); });
    return branch_in_lockstep(i, w, bits, i);
}

const Instruction* run_join_together(const Instruction* i, Warp& w) {
    const Lockstep& lockstep = w.block->lockstep;
    if (!lockstep.masked || lockstep.rejoin != i) return next(i, w);
    count_before(i, w);
    activate_all(w);
    return next(i, w);
}

const Instruction* run_exit_together(const Instruction* i, Warp& w) {
    count_to(i, w);
    Block& block = *w.block;
    for (Warp& each : block.warps) each.live = 0;
    block.live_threads = 0;
    w.stop = Stop::exited;
    return nullptr;
}
const Instruction* run_guarded_exit_together(const Instruction* i, Warp& w) {
    std::uint32_t leaving = 0, rest = 0;
    for_each_active_warp(w, [&](Warp& each) {
        const std::uint32_t mask = guard_mask(i, each);
        leaving |= mask;
        rest |= each.mask & ~mask;
    });
    if (leaving == 0) return next(i, w);
    return rest == 0 ? run_exit_together(i, w) : leave_lockstep(i, w);
}

/// All threads are here.
const Instruction* run_block_barrier_together(const Instruction* i, Warp& w) {
    Lockstep& lockstep = w.block->lockstep;
    lockstep.reversed = w.slice != lockstep.slice_began;
    lockstep.slice_began = w.slice;
    if (w.observer) [[unlikely]]
        w.observer->all_pass_barrier(w.block->number);
    return next(i, w);
}

/// All warps have waited together.
const Instruction* run_turn_together(const Instruction* i, Warp& w) {
    if (i->option == 0 || !w.block->launch->interleaved) return next(i, w);
    w.block->offers_turn = true;
    count_before(i, w);
    return w.yield(i + 1);
}

/// `extra`: the branch leads over instructions that can be run for some lanes alone, to where the others wait.
const Instruction* branch_in_lockstep(const Instruction* i, Warp& w, const std::uint32_t (&bits)[most_warps],
                                      const Instruction* again) {
    Lockstep& lockstep = w.block->lockstep;
    const std::uint32_t negated = 0 - (i->guard & 1u);
    std::uint32_t taken = 0, rest = 0;
    for_each_active_warp(w, [&](Warp& each) {
        taken |= each.mask & (bits[each.index] ^ negated);
        rest |= each.mask & ~(bits[each.index] ^ negated);
    });
    if (taken == 0) return next(i, w);
    if (rest == 0) return go_to_in_lockstep(i, w, i->target);
    if (i->extra == 0) return leave_lockstep(again, w);
    count_to(i, w);
    w.segment = i[1].counted_from;
    lockstep.masked = true;
    lockstep.rejoin = i->target;
    const std::uint32_t begin = lockstep.first, end = lockstep.last + 1;
    lockstep.first = end;
    lockstep.warps = lockstep.threads = 0;
    std::uint64_t parted = 0;
    for (std::uint32_t k = begin; k < end; ++k) {
        std::uint32_t& mask = (&w)[k].mask;
        const std::uint32_t before = mask;
        mask &= ~(bits[k] ^ negated);
        parted += mask != 0 && mask != before;
        if (mask == 0) continue;
        lockstep.first = std::min(lockstep.first, k);
        lockstep.last = k;
        ++lockstep.warps;
        lockstep.threads += static_cast<unsigned>(std::popcount(mask));
    }
    if (w.counts && parted != 0) [[unlikely]]
        w.counts->diverged(*w.frame->code, i->ordinal, parted);
    return next(i, w);
}

void start_lockstep(Block& block, const Code& kernel) {
    Warp& first = block.warps.front();
    Lockstep& lockstep = block.lockstep;
    activate_all(first);
    const Instruction* const code = kernel.instructions.data();
    lockstep.resume = code + kernel.lockstep_at;
    lockstep.slice_began = working_slice;
    lockstep.reversed = false;
    lockstep.columns = 0;
    first.segment = lockstep.resume->counted_from;
    if (std::exchange(lockstep.steady_done, true)) return;
    const Instruction* pc = code + kernel.lockstep_steady_at;
    do pc = pc->run(pc, first);
    while (pc);
}

const Instruction* run_each_warp(const Instruction* i, Warp& w) {
    bool faulted = false;
    for_each_active_warp(w, [&](Warp& each) { faulted = faulted || i->inner(i, each) == nullptr; });
    return faulted ? fault_in_lockstep(w) : next(i, w);
}

const Instruction* run_each_storing_warp(const Instruction* i, Warp& w) {
    bool faulted = false;
    for_each_storing_warp(w, [&](Warp& each) { faulted = faulted || i->inner(i, each) == nullptr; });
    return faulted ? fault_in_lockstep(w) : next(i, w);
}

const Instruction* run_end_of_sequence(const Instruction* i, Warp& w) {
    w.resume = i->target;
    return nullptr;
}
const Instruction* run_sequence(const Instruction* i, Warp& w) {
    const Instruction* end = nullptr;
    for_each_active_warp(w, [&](Warp& each) {
        const Instruction* pc = i + i->guard;
        do pc = pc->run(pc, each);
        while (pc);
        end = each.resume;
    });
    return w.block->fault ? fault_in_lockstep(w) : go_on(end, w);
}

const Instruction* fault_in_lockstep(Warp& first) {
    first.stop = Stop::fault;
    return nullptr;
}

const Instruction* leave_lockstep(const Instruction* at, Warp& first) {
    const Code& code = *first.frame->code;
    Lockstep& lockstep = first.block->lockstep;
    count_before(at, first);
    const auto alone = [&](const Instruction* i) { return i - code.lockstep_at + code.affine_at; };
    const Instruction* const rejoin = lockstep.masked ? alone(lockstep.rejoin) : nullptr;
    for (Warp& each : first.block->warps) {
        if (each.index != 0)
            for (const AffineRegister& r : code.affine_registers)
                affine(each, r.place) = affine(first, r.place).of_warp(each.index);
        each.looped = first.slice != lockstep.slice_began;
        each.go_alone(alone(at), each.mask, rejoin);
    }
    first.block->order_warps(lockstep.reversed);
    lockstep.on = false;
    first.stop = Stop::left_lockstep;
    return nullptr;
}

Handler each_guarded_warp(unsigned affine_sources) {
    constexpr Handler by_sources[] = {run_each_guarded<0>, run_each_guarded<1>, run_each_guarded<2>};
    return by_sources[affine_sources];
}

}  // namespace cudash::virtual_gpu
