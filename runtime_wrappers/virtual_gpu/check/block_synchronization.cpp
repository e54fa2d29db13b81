// What checkers make of barriers, collectives, fences and asynchronous copies; block_checks.cpp has the accesses.
#include <algorithm>
#include <bit>

#include "runtime_wrappers/virtual_gpu/check/block_checks.h"
#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/isa/modifiers.h"

namespace cudash::virtual_gpu {

void BlockChecks::arrives(const PlaceRecord& record, unsigned barrier, bool waits) {
    BlockState& block = state_of(record.block);
    block.phases[barrier].add(record, block.clock.warps.size(), waits);
}

void BlockChecks::barrier_completes(std::uint64_t number, unsigned barrier) {
    BlockState& block = state_of(number);
    BarrierPhase& phase = block.phases[barrier];
    if (selection_.has(Checker::barrier)) barriers_.completed(phase, number);
    bool whole = !phase.counted;
    if (!whole && phase.came.size() == block.clock.warps.size()) {
        std::uint64_t threads = 0;
        for (std::uint32_t mask : phase.waited) threads += static_cast<unsigned>(std::popcount(mask));
        whole = threads == findings_.launch().block_threads();
    }
    if (whole) {
        all_pass_barrier(number);
    } else if (!phase.came.empty()) {
        order_.some_warps(block.clock, phase.came, phase.waited);
    }
    phase.clear();
}

void BlockChecks::all_pass_barrier(std::uint64_t number) {
    BlockState& block = state_of(number);
    order_.whole_block(block.clock);
    block.reads.begin();
    block.shared.look_if_complete();
}

void BlockChecks::cluster_passes(std::uint64_t number) {
    all_pass_barrier(number);
    order_.whole_cluster(state_of(number).clock);
}

void BlockChecks::collective(const CollectiveRecord& record) {
    if (selection_.has(Checker::barrier)) barriers_.collective(record);
    WarpClock& warp = state_of(record.block).clock.warps[record.warp];
    if (!record.named) return order_.lanes(warp, record.mask, record.live);
    // Lanes that name the same others make one call; several groups may do so in one instruction.
    std::uint32_t left = record.mask;
    while (left != 0) {
        const std::uint32_t named = record.named[std::countr_zero(left)];
        std::uint32_t group = 0;
        for (unsigned l = 0; l < warp_size; ++l)
            if ((left >> l & 1) && record.named[l] == named) group |= 1u << l;
        left &= ~group;
        order_.lanes(warp, group, record.live);
    }
}

void BlockChecks::shuffle_from_outside(const ShuffleRecord& record) {
    if (selection_.has(Checker::barrier)) barriers_.shuffle(record);
}

void BlockChecks::fence(const PlaceRecord& record) {
    const ptx::Instruction* text = record.code->written[record.code->index_of(record.instruction)];
    const bool block_only = text && parse_modifiers(text->modifiers).set.has(Mod::cta);
    order_.fence(state_of(record.block).clock.warps[record.warp], !block_only);
}

void BlockChecks::async_copy(const PlaceRecord& record, AsyncCopy what, std::uint64_t pending) {
    WarpClock& warp = state_of(record.block).clock.warps[record.warp];
    if (what == AsyncCopy::commit) return order_.commit_copies(warp);
    order_.complete_copies(warp, pending);
}

}  // namespace cudash::virtual_gpu
