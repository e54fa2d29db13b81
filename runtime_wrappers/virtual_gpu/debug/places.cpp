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

bool is_toolkit_file(std::string_view file) {
    if (file.find("__nv_nvrtc") != std::string_view::npos) return true;
    const std::size_t include = file.find("/include/");
    return include != std::string_view::npos && file.substr(0, include).find("cuda") != std::string_view::npos;
}

std::optional<ptx::Location> program_line(const Launch& launch, const Code& code, const Instruction* instruction) {
    ptx::Location where = location_of(code, instruction);
    const auto& files = *launch.files;
    const auto foreign = [&] {
        return where.line == 0 || (where.file < files.size() && is_toolkit_file(files[where.file]));
    };
    while (foreign() && code.source && where.inlined_at >= 0) {
        const ptx::InlineSite& site = code.source->inline_sites[static_cast<std::size_t>(where.inlined_at)];
        where.file = site.file, where.line = site.line, where.column = site.column, where.inlined_at = site.parent;
    }
    // NVRTC's -G does not say where code was inlined: in the text it follows the line that uses it.
    for (std::size_t at = code.index_of(instruction); foreign() && at > 0;) where = code.locations[--at];
    return foreign() ? std::nullopt : std::optional(where);
}

CallPlace program_place(const Launch& launch, const Frame* frame, const Instruction* instruction) {
    CallPlace place{frame, instruction, 0};
    while (place.frame && !program_line(launch, *place.frame->code, place.instruction)) {
        if (!place.frame->caller) return {frame, instruction, 0};
        place.instruction = place.frame->call;
        place.frame = place.frame->caller;
        ++place.level;
    }
    return place;
}

const ptx::Location& location_of(const Code& code, const Instruction* instruction) {
    return code.locations[code.index_of(instruction)];
}

}  // namespace cudash::virtual_gpu
