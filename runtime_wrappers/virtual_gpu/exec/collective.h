// Instructions that lanes of a warp execute together.
#pragma once

#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/exec/observe.h"

namespace cudash::virtual_gpu {

/// `Body` for the lanes of the member mask (its register's offset is in `cache`), once all of them are there.
template <void (*Body)(const Instruction*, Warp&, std::uint32_t members)>
const Instruction* collective(const Instruction* i, Warp& w) {
    const std::uint32_t members = lanes<std::uint32_t>(w, i->cache)[std::countr_zero(w.mask)];
    if ((members & w.live & ~w.mask) == 0) {
        if (w.observer) [[unlikely]]
            observe_collective(w, i, members, lanes<std::uint32_t>(w, i->cache));
        Body(i, w, members & w.mask);
        return i + 1;
    }
    const std::uint32_t together = w.gather_lanes(i, members, false);
    if (together == 0) return nullptr;
    const std::uint32_t alone = w.mask;
    w.mask = together;
    if (w.observer) [[unlikely]]
        observe_collective(w, i, members, lanes<std::uint32_t>(w, i->cache));
    Body(i, w, members & together);
    w.mask = alone;
    return i + 1;
}

/// A body that may fault: false when it did. All lanes of the warp take part (.sync.aligned).
template <bool (*Body)(const Instruction*, Warp&)>
const Instruction* aligned_collective(const Instruction* i, Warp& w) {
    if (w.live & ~w.mask) {
        const std::uint32_t together = w.gather_lanes(i, full_mask, false);
        if (together == 0) return nullptr;
        const std::uint32_t alone = w.mask;
        w.mask = together;
        if (w.observer) [[unlikely]]
            observe_collective(w, i, full_mask, nullptr);
        const bool done = Body(i, w);
        w.mask = alone;
        return done ? i + 1 : nullptr;
    }
    if (w.observer) [[unlikely]]
        observe_collective(w, i, w.mask, nullptr);
    return Body(i, w) ? i + 1 : nullptr;
}

}  // namespace cudash::virtual_gpu
