// The caches behind a launch: what its blocks asked of L2 (profile/line_trace.h) in the order of their numbers, and
// what L2 still held of the launches before it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/profile/line_trace.h"
#include "runtime_wrappers/virtual_gpu/profile/traffic.h"

namespace cudash::virtual_gpu {

/// Which choices of a generation a launch is priced with.
struct PriceOptions {
    LoadCaching caching = LoadCaching::by_default;
    BankSize bank_size = BankSize::four_bytes;
    friend bool operator==(const PriceOptions&, const PriceOptions&) = default;
};

/// What a launch does not say of itself.
struct LaunchContext {
    int device = 0;
    unsigned registers = 0;        ///< per thread; 0: not known
    bool registers_known = false;  ///< ptxas counted them
    AccessPolicyWindow window;     ///< of 0 bytes: none
    std::uint64_t set_aside = 0;   ///< bytes: cudaLimitPersistingL2CacheSize
    PriceOptions chosen;           ///< by the program: cudaDeviceSetSharedMemConfig
};

/// Sectors of 32 bytes. Those of L2 and DRAM are estimates where `sampled` is more than 1.
struct CacheCounts {
    std::uint64_t l1_sectors = 0, l1_hits = 0;
    std::uint64_t lines = 0;               ///< of 128 bytes, touched by all accesses, each on its own
    std::uint64_t partial_writes = 0;      ///< of `l2_writes`: not of all bytes of a sector
    std::uint64_t sectors_of_atomics = 0;  ///< different ones
    std::uint64_t l2_reads = 0, l2_writes = 0, l2_atomics = 0, l2_hits = 0;
    std::uint64_t dram_reads = 0, dram_writes = 0;
    std::uint64_t sampled = 1;  ///< one line in so many was followed

    std::uint64_t l2_sectors() const { return l2_reads + l2_writes + l2_atomics; }
    CacheCounts& operator+=(const CacheCounts& other);
    void scale(double factor);
};

/// Bytes in L2 when a launch had ended.
struct CacheContents {
    std::uint64_t size = 0, set_aside = 0;
    std::uint64_t normal = 0, streaming = 0, persisting = 0;
    AccessPolicyWindow window;
    std::uint64_t of_window = 0;  ///< of the window's bytes
};

/// Sectors asked of each partition of DRAM while the blocks ran, in slices of as many blocks.
struct PartitionTimes {
    unsigned partitions = 0;
    std::vector<std::vector<std::uint64_t>> slices;  ///< by time, then by partition
};

class CacheModel {
public:
    struct Result {
        CacheCounts counts;
        CacheContents contents;
        PartitionTimes partitions;
    };
    /// `l1_bytes`: of a multiprocessor.
    Result follow(std::span<const LineTrace* const> traces, const Profile& profile, const LaunchContext& context,
                  std::uint64_t blocks, std::uint64_t l1_bytes);
    /// Behind the blocks whose traces were followed last come others that do the same elsewhere, `times` as much of it:
    /// the lines that they bring to L2 take the place of others.
    void bring_more(const Profile& profile, int device, double times);
    /// cudaCtxResetPersistingL2Cache.
    void reset_persisting(int device);
    /// The device was reset: its memory is new, wherever it lies.
    void forget(int device) { caches_.erase(device); }

private:
    struct Device {
        L2Cache cache;
        std::uint64_t set_aside;
        std::uint64_t brought = 0;  ///< lines of no address, by bring_more
    };
    std::map<int, Device> caches_;
};

}  // namespace cudash::virtual_gpu
