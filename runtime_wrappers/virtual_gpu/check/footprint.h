// The bytes of device memory that blocks of one launch use, and how: a bit for each byte, and for each 64 bytes the
// instruction that was seen there last.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "runtime_wrappers/virtual_gpu/check/chunked.h"

namespace cudash::virtual_gpu {

/// `signal`: accesses that may hand something to another kernel that runs at the same time (strong ones, atomics among
/// them). They are no races of their own.
enum class Use : std::uint8_t { read, write, atomic, signal, count };
constexpr std::size_t use_count = static_cast<std::size_t>(Use::count);

struct Extent {
    std::uint64_t begin = 0, end = 0;
    std::uint32_t site = 0;
};

class Footprint {
public:
    bool on = false;

    void add(Use use, std::uint64_t address, std::uint64_t bytes, std::uint32_t site) {
        Map& map = maps_[static_cast<std::size_t>(use)];
        while (bytes != 0) {
            const std::uint64_t part = std::min(bytes, 64 - address % 64);
            const std::uint64_t bits = (part == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << part) - 1)
                                       << address % 64;
            Chunk& chunk = map.chunks.at(address);
            const std::uint64_t word = address % chunk_bytes / 64;
            if (!chunk.used) {
                chunk.used = true;
                map.used.push_back(address / chunk_bytes * chunk_bytes);
            }
            chunk.words[word] |= bits;
            chunk.sites[word] = site;
            chunk.dirty[word / 64] |= std::uint64_t{1} << word % 64;
            chunk.groups[word / 4096] |= std::uint64_t{1} << word / 64 % 64;
            address += part, bytes -= part;
        }
    }
    /// What was added since the last time, by address; of very scattered uses only the first.
    std::vector<Extent> take(Use use);

private:
    static constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << Chunked<int>::shift;
    static constexpr std::uint64_t words = chunk_bytes / 64;
    struct Chunk {
        std::uint64_t words[Footprint::words];
        std::uint32_t sites[Footprint::words];
        std::uint64_t dirty[Footprint::words / 64];     ///< words that are not zero
        std::uint64_t groups[Footprint::words / 4096];  ///< of `dirty` that are not zero
        bool used;
    };
    struct Map {
        Chunked<Chunk> chunks;
        std::vector<std::uint64_t> used;  ///< addresses of chunks with anything in them
    };
    std::array<Map, use_count> maps_;
};

}  // namespace cudash::virtual_gpu
