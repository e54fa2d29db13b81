// Which bytes of device memory count as written for the blocks that one observer sees.
#pragma once

#include <cstdint>

#include "runtime_wrappers/virtual_gpu/check/written_bytes.h"

namespace cudash::virtual_gpu {

class LaunchWritten {
public:
    /// `alone`: no other observer sees blocks of the launch. Otherwise what these blocks write is kept apart until
    /// merge(), and does not show to the others: in what order they run is left open.
    void begin(DeviceWrittenBytes& all, bool alone) {
        all_ = &all;
        alone_ = alone;
    }
    /// Bits of 64 bytes of memory.
    std::uint64_t bits(std::uint64_t address) {
        if (alone_) return *all_->word(address);
        const Chunk& chunk = own(address);
        const std::uint64_t word = address % chunk_bytes / 64;
        return chunk.bits[word] | chunk.before[word];
    }
    /// Where to note that bytes are written.
    std::uint64_t* word(std::uint64_t address) {
        return alone_ ? all_->word(address) : &own(address).bits[address % chunk_bytes / 64];
    }
    void merge();
    /// How many bytes of an allocation were written from its beginning on, if nothing behind them was; else 0. Nor is
    /// anything said of those above 64 MiB.
    std::uint64_t written_front(std::uint64_t begin, std::uint64_t bytes);

private:
    static constexpr std::uint64_t chunk_bytes = DeviceWrittenBytes::chunk_bytes;
    struct Chunk {
        const std::uint64_t* before;  ///< as it was when the launch began
        std::uint64_t bits[chunk_bytes / 64];
    };
    Chunk& own(std::uint64_t address) {
        Chunk& chunk = chunks_.at(address);
        if (!chunk.before) chunk.before = all_->find_chunk(address);
        return chunk;
    }

    DeviceWrittenBytes* all_ = nullptr;
    bool alone_ = true;
    Chunked<Chunk> chunks_;
};

}  // namespace cudash::virtual_gpu
