// bar, barrier, membar, fence, nanosleep.
#include <fmt/format.h>

#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/barrier_results.h"
#include "runtime_wrappers/virtual_gpu/exec/collective.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/observe.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {
namespace {

using enum ptx::Type;

enum class Reduction : std::uint16_t { none, popc, and_, or_ };

std::uint32_t uniform(Warp& w, std::uint32_t offset) {
    return lanes<std::uint32_t>(w, offset)[std::countr_zero(w.mask)];
}

/// The barrier that `a` names, with the thread count of `b` (if any) noted. nullptr after a fault.
Barrier* named_barrier(const Instruction* i, Warp& w, unsigned& number) {
    number = uniform(w, i->a);
    if (number >= Block::named_barriers) {
        raise(w, i, LaunchStatus::illegal_instruction, "bad-barrier",
              fmt::format("barrier {}: a block has barriers 0 to 15", number));
        return nullptr;
    }
    Barrier& barrier = w.block->barriers[number];
    if (!i->count) return &barrier;
    const std::uint32_t threads = uniform(w, i->b);
    if (threads == 0 || threads % warp_size != 0) {
        raise(w, i, LaunchStatus::illegal_instruction, "bad-barrier",
              fmt::format("a barrier for {} threads: the count must be a multiple of the warp size", threads));
        return nullptr;
    }
    barrier.expected = threads;
    return &barrier;
}

void write_reduction(const Instruction* i, std::byte* registers, std::uint32_t mask, const Barrier& barrier) {
    const auto reduction = static_cast<Reduction>(i->option);
    if (reduction == Reduction::popc) {
        auto* d = reinterpret_cast<std::uint32_t*>(registers + i->d);
        for_each_lane(mask, [&](unsigned l) { d[l] = barrier.result_count; });
    } else if (reduction != Reduction::none) {
        auto* d = reinterpret_cast<std::uint32_t*>(registers + i->d);
        const bool truth = reduction == Reduction::and_ ? barrier.result_and : barrier.result_or;
        *d = truth ? *d | mask : *d & ~mask;
    }
}

const Instruction* run_barrier(const Instruction* i, Warp& w) {
    unsigned number;
    Barrier* barrier = named_barrier(i, w, number);
    if (!barrier) return nullptr;
    if (static_cast<Reduction>(i->option) != Reduction::none) {
        const std::uint32_t votes = (predicate(w, i->c) ^ static_cast<std::uint32_t>(i->immediate)) & w.mask;
        barrier->reduction_count += static_cast<std::uint32_t>(std::popcount(votes));
        barrier->reduction_and &= votes == w.mask;
        barrier->reduction_or |= votes != 0;
    }
    const Instruction* next = w.wait_at_barrier(i, number);
    if (next) write_reduction(i, w.registers, w.mask, *barrier);
    return next;
}

const Instruction* run_arrive(const Instruction* i, Warp& w) {
    unsigned number;
    Barrier* barrier = named_barrier(i, w, number);
    if (!barrier) return nullptr;
    if (w.observer) w.observer->arrives(place_of(w, i), number, false);
    barrier->arrived += static_cast<std::uint32_t>(std::popcount(w.mask));
    w.block->complete_if_full(number);
    return i + 1;
}

/// A cluster of one block has nobody to wait for but its own threads; the others are not asked where they are.
const Instruction* run_cluster_wait(const Instruction* i, Warp& w) {
    return w.block->cluster ? w.wait_for_cluster(i) : w.wait_at_barrier(i, Block::cluster_barrier);
}

const Instruction* run_cluster_arrive(const Instruction* i, Warp& w) {
    Cluster* cluster = w.block->cluster;
    if (!cluster) return i + 1;
    w.at_cluster_barrier |= w.mask;
    cluster->arrived += static_cast<std::uint32_t>(std::popcount(w.mask));
    cluster->complete_if_full();
    return i + 1;
}

const Instruction* run_warp_barrier(const Instruction* i, Warp& w) {
    const std::uint32_t* named = lanes<std::uint32_t>(w, i->a);
    if (i->count != 0 && !one_member_mask(w, named)) [[unlikely]] {
        w.keep_complete(i, named);
        if (!one_member_mask(w, named)) {
            if (w.observer) observe_collective(w, i, uniform(w, i->a), named);
            return i + 1;
        }
    }
    const std::uint32_t members = uniform(w, i->a);
    const std::uint32_t together = (members & w.live & ~w.mask) == 0 ? w.mask : w.gather_lanes(i, members, true);
    if (together == 0) return nullptr;
    if (w.observer) [[unlikely]] {
        const std::uint32_t alone = std::exchange(w.mask, together);
        observe_collective(w, i, members, named);
        w.mask = alone;
    }
    return i + 1;
}

const Instruction* run_fence(const Instruction* i, Warp& w) {
    if (w.observer) w.observer->fence(place_of(w, i));
    w.polled = true;
    return i + 1;
}

const Instruction* run_nanosleep(const Instruction* i, Warp& w) {
    // Sleeping is letting the others run.
    w.polled = true;
    const std::uint32_t longest = 1'000'000;  // "The maximum sleep duration is 1 millisecond"
    const std::uint32_t wanted = lanes<std::uint32_t>(w, i->a)[std::countr_zero(w.mask)];
    constexpr std::uint64_t many = 1'000'000;
    w.clock.ahead += std::min(wanted, longest) * many / w.block->launch->profile->nanoseconds(many);
    if (w.slice > 1) w.slice = 1;
    return i + 1;
}

/// bar.sync with a number as written, for all threads.
const Instruction* run_block_barrier(const Instruction* i, Warp& w) {
    return w.wait_at_barrier(i, i->extra);
}

void select_block_barrier(Site& site) {
    std::size_t next = 0;
    if (site.has(Mod::red)) {
        if (site.operands() < 3) return site.refuse();
        const bool counts = site.has(Mod::popc);
        site.out.option = static_cast<std::uint16_t>(counts                ? Reduction::popc
                                                     : site.has(Mod::and_) ? Reduction::and_
                                                                           : Reduction::or_);
        site.out.d = counts ? site.destination(site.operand(0), 4) : site.predicate_destination(site.operand(0));
        const ptx::Operand& vote = site.operand(site.operands() - 1);
        site.out.c = site.predicate(vote);
        site.out.immediate = vote.negated ? 0xFFFFFFFF : 0;
        next = 1;
    }
    const std::size_t last = site.operands() - (site.has(Mod::red) ? 1 : 0);
    if (next >= last) return site.refuse();
    site.out.a = site.source(site.operand(next), u32);
    if (next + 1 < last) {
        site.out.b = site.source(site.operand(next + 1), u32);
        site.out.count = 1;
    }
    if (site.has(Mod::arrive)) return site.run(site.out.count ? run_arrive : nullptr);
    const ptx::Operand& number = site.operand(next);
    const bool known = number.kind == ptx::Operand::Kind::integer && number.integer >= 0 &&
                       number.integer < static_cast<std::int64_t>(Block::named_barriers);
    if (known && !site.out.count && !site.has(Mod::red)) {
        site.out.extra = static_cast<std::uint32_t>(number.integer);
        return site.run({run_block_barrier, run_block_barrier_together});
    }
    site.run(run_barrier);
}

}  // namespace

const Instruction* run_nothing(const Instruction* i, Warp&) {
    return i + 1;
}

void write_barrier_result(const Fragment& fragment, const Barrier& barrier) {
    if (fragment.pc->run == run_barrier)
        write_reduction(fragment.pc, fragment.frame->registers, fragment.mask, barrier);
}

void select_bar(Site& site) {
    if (!site.has(Mod::warp)) return select_block_barrier(site);
    if (site.operands() != 1) return site.refuse();
    site.out.a = site.source(site.operand(0), b32);
    site.out.count = site.operand(0).kind == ptx::Operand::Kind::name;  // each lane may name others
    site.run(run_warp_barrier);
}

void select_barrier(Site& site) {
    if (site.has(Mod::cluster)) return site.run(site.has(Mod::wait) ? run_cluster_wait : run_cluster_arrive);
    select_block_barrier(site);
}

void select_membar(Site& site) {
    if (!site.has(Mod::cta)) site.order_matters();
    site.run(run_fence);
}
void select_fence(Site& site) {
    if (!site.has(Mod::cta) && !site.has(Mod::proxy)) site.order_matters();
    site.run(run_fence);
}

void select_nanosleep(Site& site) {
    site.out.a = site.source(site.operand(0), u32);
    site.run(run_nanosleep);
}

void select_pmevent(Site& site) {
    site.run(run_nothing);
}
void select_prefetch(Site& site) {
    site.run(run_nothing);
}
void select_prefetchu(Site& site) {
    site.run(run_nothing);
}
void select_applypriority(Site& site) {
    site.run(run_nothing);
}
void select_discard(Site& site) {
    site.run(run_nothing);
}
void select_griddepcontrol(Site& site) {
    site.run(run_nothing);
}

}  // namespace cudash::virtual_gpu
