// Which cache lines the blocks of a launch touch in global memory, as one host thread sees it. Each block has its share
// of a multiprocessor's L1 cache; what that does not have is asked of L2 and kept, in order, with the block. If it is
// more than `most`, only lines of a sample are kept (L2Cache::in_sample): memory is bounded, and what is kept in the
// end does not depend on how blocks were spread over threads.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime_wrappers/virtual_gpu/check/access.h"
#include "runtime_wrappers/virtual_gpu/model/caches/l2_cache.h"
#include "runtime_wrappers/virtual_gpu/model/warp_access.h"

namespace cudash::virtual_gpu {

class LineTrace {
public:
    /// Sums, exact whatever is kept. Sectors of 32 bytes.
    struct Counts {
        std::uint64_t l1_sectors = 0, l1_hits = 0;         ///< looked up by loads
        std::uint64_t lines = 0;                           ///< touched by all accesses, each on its own
        std::uint64_t reads = 0, writes = 0, atomics = 0;  ///< asked of L2
        std::uint64_t partial = 0;                         ///< of `writes`: not of all bytes of a sector
        Counts& operator+=(const Counts& other);
    };
    /// Of one block, among `entries`.
    struct Segment {
        std::uint64_t block = 0;
        std::size_t begin = 0;
    };
    /// Sectors of a line, and how many bytes of them are accessed.
    struct Entry {
        std::uint64_t packed;
        static Entry of(std::uint64_t line, std::uint8_t sectors, std::uint32_t bytes, AccessKind kind) {
            return {line << 16 | std::uint64_t{bytes} << 8 | static_cast<unsigned>(kind) << 4 | sectors};
        }
        std::uint64_t line() const { return packed >> 16; }
        std::uint32_t bytes() const { return packed >> 8 & 0xFF; }
        std::uint8_t sectors() const { return packed & 0xF; }
        AccessKind kind() const { return static_cast<AccessKind>(packed >> 4 & 3); }
    };

    /// For a launch whose blocks have `l1_bytes` each; `whole_lines`: the cache fills all of a line (2.x, 3.x).
    void begin(std::uint64_t l1_bytes, bool whole_lines);
    void block_begins(std::uint64_t block);
    /// Lane l of half h accesses first + h * half + l % 16 * step; `times` warps do the same.
    void progression(std::uint64_t first, std::int64_t half, std::int64_t step, std::uint32_t size, std::uint32_t mask,
                     AccessKind kind, std::uint32_t times = 1);
    void scattered(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t size, AccessKind kind);

    const Counts& counts() const { return counts_; }
    unsigned level() const { return level_; }
    const std::vector<Segment>& segments() const { return segments_; }
    const std::vector<Entry>& entries() const { return entries_; }

    static constexpr std::size_t most = 1 << 17;

private:
    static constexpr unsigned ways = 4;
    struct Place {
        std::uint64_t line = ~std::uint64_t{0};
        std::uint32_t block = 0;  ///< that it was filled for, as blocks_ counts them: of others nothing is there
        std::uint8_t filled = 0;
    };

    void range(std::uint64_t low, std::uint64_t high, AccessKind kind, std::uint32_t times);
    void piece(std::uint64_t line, std::uint8_t sectors, std::uint32_t bytes, AccessKind kind, std::uint32_t times);
    void ask_l2(std::uint64_t line, std::uint8_t sectors, std::uint32_t bytes, AccessKind kind, std::uint32_t times);
    void thin();

    std::vector<Place> l1_;
    std::uint64_t set_mask_ = 0;
    std::uint32_t blocks_ = 0;
    bool cached_ = false, whole_lines_ = false;
    Counts counts_;
    unsigned level_ = 0;
    std::vector<Segment> segments_;
    std::vector<Entry> entries_;
};

}  // namespace cudash::virtual_gpu
