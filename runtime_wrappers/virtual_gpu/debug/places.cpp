#include "runtime_wrappers/virtual_gpu/debug/places.h"

namespace cudash::virtual_gpu {

std::vector<LanePlace> lane_places(const Warp& warp, const Standing& standing) {
    std::vector<LanePlace> places(warp_size);
    const std::uint64_t first = std::uint64_t{warp.index} * warp_size, threads = warp.block->launch->block_threads();
    std::uint32_t open = warp.live;
    for (unsigned lane = 0; lane < warp_size; ++lane)
        if (first + lane < threads) places[lane].state = LaneState::finished;
    const auto put = [&](std::uint32_t mask, const LanePlace& place) {
        for (unsigned lane = 0; lane < warp_size; ++lane)
            if (mask >> lane & 1) places[lane] = place;
        open &= ~mask;
    };
    if (standing.warp == &warp) put(warp.mask & open, {LaneState::active, warp.frame, standing.stop});
    // What a running fragment left at a join still stands in its entry: joins come first.
    for (const Fragment& waiting : warp.waiting_at_joins())
        put(waiting.mask & open, {LaneState::joins, waiting.frame, waiting.pc});
    // Of a warp that does not run just now, the fragment that goes on next.
    const Fragment* next = nullptr;
    if (standing.warp != &warp)
        for (const Fragment& fragment : warp.fragments)
            if (fragment.wait == Wait::none) next = &fragment;
    for (const Fragment& fragment : warp.fragments) {
        const LaneState state = &fragment == next                  ? LaneState::active
                                : fragment.wait == Wait::barrier   ? LaneState::barrier
                                : fragment.wait == Wait::warp_sync ? LaneState::collective
                                                                   : LaneState::diverged;
        put(fragment.mask & open, {state, fragment.frame, fragment.pc});
    }
    return places;
}

const ptx::Location& location_of(const Code& code, const Instruction* instruction) {
    return code.locations[code.index_of(instruction)];
}

}  // namespace cudash::virtual_gpu
