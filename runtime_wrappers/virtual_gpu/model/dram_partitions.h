// DRAM partitions and partition camping: a model for teaching, of compute capability 1.x. "Global memory is divided
// into either 6 partitions (on 8- and 9-series GPUs) or 8 partitions (on 200- and 10-series GPUs) of 256-byte width"
// (Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA", 2009). Later GPUs spread addresses over partitions
// by a hash that is not published: what is said here about an address does not hold for them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime_wrappers/virtual_gpu/devices/profile.h"

namespace cudash::virtual_gpu {

struct DramPartitions {
    unsigned count = 8;
    unsigned width = 256;  ///< bytes that lie in one partition before the next one begins
    unsigned of(std::uint64_t address) const { return static_cast<unsigned>(address / width % count); }
};
/// One partition for every 64 bits of the memory bus.
DramPartitions dram_partitions(const Profile& profile);
/// Whether the model speaks of the profile's generation.
bool has_partition_camping(const Profile& profile);

/// Bytes asked of each partition by accesses that are under way at the same time.
class PartitionLoad {
public:
    explicit PartitionLoad(const DramPartitions& partitions) : partitions_(partitions), bytes_(partitions.count) {}
    void add(std::uint64_t address, std::uint64_t bytes);
    std::span<const std::uint64_t> bytes() const { return bytes_; }
    std::uint64_t total() const;
    std::uint64_t busiest() const;
    unsigned used() const;  ///< partitions that have something to do
    /// How much longer it takes than with the same bytes spread evenly: 1 to the number of partitions.
    double camping() const;

private:
    DramPartitions partitions_;
    std::vector<std::uint64_t> bytes_;
};

/// In which order the blocks of a grid work on the tiles of a matrix.
enum class BlockOrder : std::uint8_t { cartesian, diagonal };
struct TilePlace {
    unsigned x = 0, y = 0;
    friend bool operator==(const TilePlace&, const TilePlace&) = default;
};
/// The tile of block number blockIdx.y * gridDim.x + blockIdx.x.
TilePlace tile_of(BlockOrder order, std::uint64_t block, unsigned grid_x, unsigned grid_y);

/// A row-major matrix in tiles, as a transpose reads or writes it.
struct TiledMatrix {
    std::uint64_t base = 0, pitch = 0;  ///< bytes from row to row
    unsigned tile_rows = 32;
    unsigned tile_bytes = 128;  ///< of a row of a tile
};
/// The load while blocks `first` to `first + count - 1` are resident and each accesses its tile; `transposed`: the one
/// at (y, x).
PartitionLoad tile_load(const DramPartitions& partitions, const TiledMatrix& matrix, BlockOrder order, bool transposed,
                        std::uint64_t first, std::uint64_t count, unsigned grid_x, unsigned grid_y);

}  // namespace cudash::virtual_gpu
