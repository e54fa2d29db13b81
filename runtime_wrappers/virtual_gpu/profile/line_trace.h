// Which cache lines the blocks of a launch touch in global memory, as one host thread sees it. Each block has its share
// of a multiprocessor's L1 cache; what that does not have is asked of L2 and kept, in order, with the block. If it is
// more than `most`, only lines of a sample are kept (L2Cache::in_sample): memory is bounded, and what is kept in the
// end does not depend on how blocks were spread over threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/observer.h"
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
    /// Warps in lockstep, one after the other.
    void block(const BlockAccessRecord& record);

    const Counts& counts() const { return counts_; }
    unsigned level() const { return level_; }
    const std::vector<Segment>& segments() const { return segments_; }
    const std::vector<Entry>& entries() const { return entries_; }

    static constexpr std::size_t most = 1 << 17;

private:
    static constexpr unsigned ways = 4, repeat_bits = 3;
    /// A set of the cache. `used`: when a line was last accessed (as clock_ counts), then four bits: its sectors that
    /// are there. Lines that were last accessed before the block began are another block's, and nothing is there.
    struct Set {
        std::array<std::uint64_t, ways> line{}, used{};
    };
    /// A load of a block's warps whose sectors are in L1 now. The same load again finds them all there, and leaves the
    /// order of use as it is, unless another access came to the same sets.
    struct Repeat {
        struct Shape {
            std::uint64_t low = 0, high = 0;  ///< sectors that the first warp touches
            std::int64_t half = 0, step = 0, warp = 0;
            std::uint32_t first_warp = 0, last_warp = 0, size = 0;
            friend bool operator==(const Shape&, const Shape&) = default;
        };
        Shape shape;
        std::uint64_t began = 0;  ///< the block, as began_
        std::uint64_t sets = 0;   ///< a bit for each, their numbers modulo 64
        std::uint64_t lines = 0, sectors = 0;
    };

    void range(std::uint64_t low, std::uint64_t high, AccessKind kind, std::uint32_t times);
    void piece(std::uint64_t line, std::uint8_t sectors, std::uint32_t bytes, AccessKind kind, std::uint32_t times);
    void ask_l2(std::uint64_t line, std::uint8_t sectors, std::uint32_t bytes, AccessKind kind, std::uint32_t times);
    void thin();
    void each_warp(const BlockAccessRecord& record);

    std::vector<Set> l1_;
    std::uint64_t set_mask_ = 0;
    std::uint64_t clock_ = 0;  ///< accesses to L1
    std::uint64_t began_ = 0;  ///< clock_ when the block began
    std::array<Repeat, 1 << repeat_bits> repeats_;
    std::array<std::uint64_t, 1 << repeat_bits> touched_{};  ///< sets, since each of `repeats_`
    std::uint64_t newest_gone_ = 0;  ///< when the latest used of the lines that had to go was used
    bool cached_ = false, whole_lines_ = false;
    Counts counts_;
    unsigned level_ = 0;
    std::vector<Segment> segments_;
    std::vector<Entry> entries_;
};

}  // namespace cudash::virtual_gpu
