// The L2 cache with the part that is set aside for persisting accesses (CUDA C++ Programming Guide, "Device Memory L2
// Access Management"):
//  - "Persisting accesses have prioritized use of this set-aside portion of L2 cache, whereas normal or streaming
//  accesses
//    to global memory can only utilize this portion of L2 when it is unused by persisting accesses."
//  - Streaming: "less likely to persist in the L2 cache because these accesses are preferentially evicted."
//  - Normal: "forcibly resets previously applied persisting access property to a normal status."
#pragma once

#include <cstdint>

#include "runtime_wrappers/virtual_gpu/model/caches/lru_lines.h"

namespace cudash::virtual_gpu {

/// cudaAccessProperty; `none`: no window holds the address.
enum class AccessProperty : std::uint8_t { none, normal, streaming, persisting };

/// cudaAccessPolicyWindow.
struct AccessPolicyWindow {
    std::uint64_t base = 0, bytes = 0;
    double hit_ratio = 1;
    AccessProperty hit = AccessProperty::persisting, miss = AccessProperty::streaming;

    bool holds(std::uint64_t address) const { return address - base < bytes; }
    /// What an access to the address gets. "With a hitRatio of 0.5, the hardware selects, at random, 16KB of the 32KB
    /// window": here the choice is as spread out but the same in every run, and of each 64 lines the right number.
    AccessProperty property_of(std::uint64_t address) const;
};

class L2Cache {
public:
    static constexpr std::uint32_t line_bytes = 128;

    /// Bytes. `set_aside`: cudaLimitPersistingL2CacheSize.
    L2Cache(std::uint64_t size, std::uint64_t set_aside);

    struct Counts {
        std::uint64_t accesses = 0, hits = 0;  ///< of lines
        std::uint64_t sectors = 0, sector_hits = 0;
        std::uint64_t dram_reads = 0, dram_writes = 0;  ///< sectors that were fetched, and that were written back
        std::uint64_t evictions = 0;                    ///< lines that had to go for others
        std::uint64_t persisting_evictions = 0;         ///< of these, lines that were to persist
        std::uint64_t misses() const { return accesses - hits; }
    };

    /// Reads the line of `address`. True: a hit.
    bool access(std::uint64_t address, AccessProperty property = AccessProperty::none);
    /// Reads or writes the 32-byte sectors of `sectors` (a bit for each) of a line. Only those that are read and not
    /// there are fetched; those that are written in part are when they go. `bytes`: that are accessed. True: the line
    /// was there.
    bool access_sectors(std::uint64_t line, std::uint8_t sectors, std::uint32_t bytes, bool store,
                        AccessProperty property = AccessProperty::none);
    bool access(std::uint64_t address, const AccessPolicyWindow& window) {
        return access(address, window.property_of(address));
    }
    /// cudaCtxResetPersistingL2Cache: "Reset all persisting lines in cache to normal status."
    void reset_persisting();

    /// From here on only lines of a sample are accessed: one in 2^level, and as much smaller is the cache. It never
    /// becomes larger again. Bytes and counts are those of the sample.
    void sample(unsigned level);
    unsigned sample_level() const { return level_; }
    static bool in_sample(std::uint64_t line, unsigned level) {
        return (line * 0xD6E8'FEB8'6659'FD93ull >> 40 & ((1u << level) - 1)) == 0;
    }

    const Counts& counts() const { return counts_; }
    void clear_counts() { counts_ = {}; }
    bool holds(std::uint64_t address) { return lines_.find(address / line_bytes) != nullptr; }
    /// Bytes of lines that are kept as that; `none` counts as normal.
    std::uint64_t bytes(AccessProperty property) const;
    /// Bytes of [base, base + size) that the cache holds: what a picture of its contents shows.
    std::uint64_t bytes_of(std::uint64_t base, std::uint64_t size) const;

private:
    enum Kind : std::uint8_t { normal, streaming, persisting, kinds };
    struct Sectors {
        std::uint8_t filled = 0, dirty = 0, written = 0;  ///< `written`: bytes, all of a line at most
    };

    static Kind kind_of(AccessProperty property);
    void evict(Kind kind);
    void make_room(Kind kind);
    Kind placed_as(AccessProperty property) const;

    std::uint64_t most_lines_, most_persisting_;
    LruLines<Sectors, kinds> lines_;
    unsigned level_ = 0;
    Counts counts_;
};

}  // namespace cudash::virtual_gpu
