#include "runtime_wrappers/virtual_gpu/model/dram_partitions.h"

#include <algorithm>
#include <numeric>

namespace cudash::virtual_gpu {

DramPartitions dram_partitions(const Profile& profile) {
    return {std::max(1u, profile.memory_bus_bits / 64), 256};
}

bool has_partition_camping(const Profile& profile) {
    return profile.cc_major == 1;
}

void PartitionLoad::add(std::uint64_t address, std::uint64_t bytes) {
    while (bytes != 0) {
        const std::uint64_t here = std::min(bytes, partitions_.width - address % partitions_.width);
        bytes_[partitions_.of(address)] += here;
        address += here;
        bytes -= here;
    }
}

std::uint64_t PartitionLoad::total() const {
    return std::accumulate(bytes_.begin(), bytes_.end(), std::uint64_t{0});
}

std::uint64_t PartitionLoad::busiest() const {
    return std::ranges::max(bytes_);
}

unsigned PartitionLoad::used() const {
    return static_cast<unsigned>(bytes_.size()) - static_cast<unsigned>(std::ranges::count(bytes_, std::uint64_t{0}));
}

double PartitionLoad::camping() const {
    const std::uint64_t all = total();
    return all == 0 ? 1.0
                    : static_cast<double>(busiest()) * static_cast<double>(bytes_.size()) / static_cast<double>(all);
}

TilePlace tile_of(BlockOrder order, std::uint64_t block, unsigned grid_x, unsigned grid_y) {
    const auto x = static_cast<unsigned>(block % grid_x), y = static_cast<unsigned>(block / grid_x);
    if (order == BlockOrder::cartesian) return {x, y};
    // The square case of NVIDIA's transpose sample; its other case goes by the block's number.
    if (grid_x == grid_y) return {(x + y) % grid_x, x};
    const auto tile_y = static_cast<unsigned>(block % grid_y);
    return {static_cast<unsigned>((block / grid_y + tile_y) % grid_x), tile_y};
}

PartitionLoad tile_load(const DramPartitions& partitions, const TiledMatrix& matrix, BlockOrder order, bool transposed,
                        std::uint64_t first, std::uint64_t count, unsigned grid_x, unsigned grid_y) {
    PartitionLoad load(partitions);
    const std::uint64_t blocks = std::uint64_t{grid_x} * grid_y;
    for (std::uint64_t block = first; block < std::min(first + count, blocks); ++block) {
        TilePlace tile = tile_of(order, block, grid_x, grid_y);
        if (transposed) std::swap(tile.x, tile.y);
        for (unsigned row = 0; row < matrix.tile_rows; ++row)
            load.add(matrix.base + (std::uint64_t{tile.y} * matrix.tile_rows + row) * matrix.pitch +
                         std::uint64_t{tile.x} * matrix.tile_bytes,
                     matrix.tile_bytes);
    }
    return load;
}

}  // namespace cudash::virtual_gpu
