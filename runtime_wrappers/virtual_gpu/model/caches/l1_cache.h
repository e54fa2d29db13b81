// The L1 cache of a multiprocessor: lines of 128 bytes, of which 32-byte sectors are filled as they are needed (5.x and
// later) or all at once (2.x, 3.x). Stores write through to L2: on 2.x and 3.x a line that is stored to is given up
// (Programming Guide 4.2, F.4.2: caching in L1 is of loads), later ones keep it, updated.
#pragma once

#include <cstdint>

#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/model/caches/lru_lines.h"
#include "runtime_wrappers/virtual_gpu/model/global_memory/coalescing.h"

namespace cudash::virtual_gpu {

class L1Cache {
public:
    static constexpr std::uint32_t line_bytes = 128, sector_bytes = 32;

    /// `bytes`: the cache's share of on-chip memory (model/carveout.h); 0: nothing is cached.
    L1Cache(const Profile& profile, std::uint64_t bytes);

    struct Counts {
        std::uint64_t sectors = 0, hits = 0;  ///< looked up by loads
        std::uint64_t to_l2 = 0;              ///< sectors asked of L2, by loads and stores
    };
    void access(const MemoryTransaction& transaction, bool store);
    const Counts& counts() const { return counts_; }
    /// A kernel ended: what others wrote is not seen otherwise.
    void invalidate() { lines_.clear(); }

private:
    std::uint64_t most_lines_;
    bool whole_lines_;
    LruLines<std::uint8_t> lines_;  ///< with a bit for each sector that is filled
    Counts counts_;
};

}  // namespace cudash::virtual_gpu
