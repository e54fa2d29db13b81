// Instructions that lanes of a warp execute together.
#pragma once

#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/exec/observe.h"

namespace cudash::virtual_gpu {

/// What lanes do that name different members, each lane its own.
enum class Groups : std::uint8_t {
    together,  ///< WARPSYNC: each waits for its members, then all that are there execute as one (shfl, bar.warp)
    apart,     ///< WARPSYNC.EXCLUSIVE: lanes with the same mask execute without the others (vote, match, redux, elect)
};

/// All lanes of the fragment name the same members.
inline bool one_member_mask(const Warp& w, const std::uint32_t* named) {
    const std::uint32_t first = named[std::countr_zero(w.mask)];
    std::uint32_t different = 0;
    for (unsigned l = 0; l < warp_size; ++l) different |= (named[l] ^ first) & (0 - (w.mask >> l & 1));
    return different == 0;
}

/// Lanes that name different members and all have them there: `body(members)` for each group, as the mask in `w`.
template <Groups How, class Run>
void for_each_group(Warp& w, const std::uint32_t* named, Run&& body) {
    if constexpr (How == Groups::together) {
        body(w.mask);
    } else {
        const std::uint32_t all = w.mask;
        for (std::uint32_t left = all; left != 0; left &= ~w.mask) {
            const std::uint32_t members = named[std::countr_zero(left)];
            w.mask = 0;
            for_each_lane(left, [&](unsigned l) { w.mask |= std::uint32_t{named[l] == members} << l; });
            body(members & w.mask);
        }
        w.mask = all;
    }
}

/// `Body` for the lanes of the member mask (its register's offset is in `cache`), once all of them are there.
template <Groups How, void (*Body)(const Instruction*, Warp&, std::uint32_t members)>
const Instruction* collective(const Instruction* i, Warp& w) {
    const std::uint32_t* named = lanes<std::uint32_t>(w, i->cache);
    if (i->count != 0 && !one_member_mask(w, named)) [[unlikely]] {
        w.keep_complete(i, named);
        if (!one_member_mask(w, named)) {
            if (w.observer) observe_collective(w, i, named[std::countr_zero(w.mask)], named);
            for_each_group<How>(w, named, [&](std::uint32_t members) { Body(i, w, members); });
            return i + 1;
        }
    }
    const std::uint32_t members = named[std::countr_zero(w.mask)];
    if ((members & w.live & ~w.mask) == 0) {
        if (w.observer) [[unlikely]]
            observe_collective(w, i, members, named);
        Body(i, w, members & w.mask);
        return i + 1;
    }
    const std::uint32_t together = w.gather_lanes(i, members, false);
    if (together == 0) return nullptr;
    const std::uint32_t alone = w.mask;
    w.mask = together;
    if (w.observer) [[unlikely]]
        observe_collective(w, i, members, named);
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
