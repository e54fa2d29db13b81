// Accesses of warps, put together by how their lanes lie to each other: what an access costs depends on that and on the
// low bits of one address, so a loop of a million accesses is a few patterns. A pattern that has to make room for
// another one is handed on with its count; nothing is dropped, and memory does not grow with the launch.
#pragma once

#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

#include "runtime_wrappers/virtual_gpu/model/warp_access.h"

namespace cudash::virtual_gpu {

/// Where in a launch an access was made.
struct AccessOrigin {
    std::uint64_t block = 0;
    std::uint64_t number = 0;  ///< of the access, among those that its host thread saw of the block
    std::uint32_t warp = 0;

    /// In the order of blocks and warps, whichever ran first.
    bool is_before(const AccessOrigin& other) const {
        return std::tie(block, warp, number) < std::tie(other.block, other.warp, other.number);
    }
};

class AccessPatterns {
public:
    /// `times` accesses whose lanes lie to each other, and to multiples of `period`, as in `access`, the first of them.
    struct Pattern {
        std::uint32_t site = 0;
        WarpAccess access;
        std::uint64_t times = 0;
        AccessOrigin origin;  ///< of the first one
    };
    using Take = std::function<void(const Pattern&)>;

    /// `take` gets what goes.
    explicit AccessPatterns(Take take);

    /// Lane l of half h accesses first + h * half + l % 16 * step; `times` such accesses, apart by multiples of
    /// `period`.
    void add_progression(std::uint32_t site, std::uint32_t size, std::uint32_t mask, std::uint64_t first,
                         std::int64_t half, std::int64_t step, std::uint64_t times, const AccessOrigin& origin) {
        const std::uint64_t hash = (first % period ^ static_cast<std::uint64_t>(half) * 0x9E37'79B9'7F4A'7C15ull ^
                                    static_cast<std::uint64_t>(step) * 0xC2B2'AE3D'27D4'EB4Full ^
                                    std::uint64_t{site} * 0x1656'67B1'9E37'79F9ull ^ std::uint64_t{mask} << 20) *
                                   0xFF51'AFD7'ED55'8CCDull;
        Progression* const set = &progressions_[(hash >> (64 - set_bits)) * ways];
        for (unsigned way = 0; way < ways; ++way) {
            Progression& entry = set[way];
            if (entry.low == first % period && entry.half == half && entry.step == step && entry.mask == mask &&
                entry.site == site && entry.times != 0) {
                entry.times += times;
                if (origin.is_before(entry.origin)) entry.first = first, entry.origin = origin;
                return;
            }
        }
        replace(set, {static_cast<std::uint32_t>(first % period), mask, half, step, times, site, size, first, origin});
    }
    /// Any other one.
    void add(std::uint32_t site, const WarpAccess& access, const AccessOrigin& origin);
    /// Hands on all that is left.
    void flush();

    static constexpr std::uint64_t period = 256;  ///< no rule looks at higher bits of an address alone

private:
    static constexpr unsigned set_bits = 10, ways = 4;

    struct Progression {
        std::uint32_t low = 0, mask = 0;
        std::int64_t half = 0, step = 0;
        std::uint64_t times = 0;
        std::uint32_t site = 0, size = 0;
        std::uint64_t first = 0;
        AccessOrigin origin;
    };
    struct Scattered {
        std::uint64_t hash = 0, base = 0, times = 0;
        std::uint32_t site = 0, mask = 0, size = 0;
        AccessOrigin origin;
        std::uint32_t offsets[lanes_per_warp];  ///< from base; 0 for inactive lanes
    };

    /// The one that was seen least often has to go.
    template <class Entry>
    void replace(std::vector<Entry>& table, std::vector<std::uint32_t>& used, Entry* set, const Entry& with);
    void replace(Progression* set, const Progression& with);
    void hand_on(Progression& entry);
    void hand_on(Scattered& entry);

    Take take_;
    std::vector<Progression> progressions_;
    std::vector<Scattered> scattered_;
    std::vector<std::uint32_t> used_progressions_, used_scattered_;  ///< sets that hold something
};

}  // namespace cudash::virtual_gpu
