// Which bytes something has written since their memory began: one bit each.
//
// cudaMalloc leaves memory as it finds it ("The memory is not cleared", Runtime API), and so do __shared__ and local
// variables (Programming Guide, "Variable Memory Space Specifiers"). Padding: a read counts as one of unwritten memory
// only when none of its bytes was written, so that structs and vectors may be copied whole.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime_wrappers/virtual_gpu/check/chunked.h"
#include "runtime_wrappers/virtual_gpu/exec/observer.h"
#include "runtime_wrappers/virtual_gpu/memory/address_space.h"

namespace cudash::virtual_gpu {

/// A block's shared memory, or its threads' local memory.
class SmallWrittenBytes {
public:
    /// `bytes` from address `base` on, a multiple of 64.
    void begin(std::uint64_t base, std::uint64_t bytes) {
        base_ = base;
        bits_.assign((bytes + 63) / 64, 0);
        complete_ = false;
        // Bytes behind the end are nobody's.
        if (bytes % 64 != 0) bits_.back() = ~std::uint64_t{0} << bytes % 64;
    }
    std::uint64_t* word(std::uint64_t address) {
        const std::uint64_t at = (address - base_) / 64;
        return at < bits_.size() ? &bits_[at] : nullptr;
    }

    /// All bytes are written, as of the last look.
    bool complete() const { return complete_; }
    void look_if_complete() {
        if (!complete_)
            complete_ = std::all_of(bits_.begin(), bits_.end(), [](std::uint64_t word) { return ~word == 0; });
    }

private:
    std::uint64_t base_ = 0;
    std::vector<std::uint64_t> bits_;
    bool complete_ = false;
};

/// Device memory. What was allocated before anyone looked, or may have been changed unseen, counts as written.
class DeviceWrittenBytes {
public:
    explicit DeviceWrittenBytes(const AddressSpace& memory) : memory_(memory) {}

    /// Notes allocations that are new.
    void look_at_allocations();
    /// A kernel ran unobserved.
    void all_written();

    static constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << Chunked<int>::shift;
    /// The words of the chunk that holds an address; where nothing was noted, words of zeros.
    const std::uint64_t* find_chunk(std::uint64_t address) const;
    std::uint64_t* word(std::uint64_t address) { return &chunks_.at(address).bits[address % chunk_bytes / 64]; }
    void note_written(std::uint64_t address, std::uint64_t bytes) { set(address, bytes, true); }
    /// What a copy within the device takes along.
    void copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
    /// The first run of at least `least` unwritten bytes; false: there is none.
    bool find_unwritten(std::uint64_t address, std::uint64_t bytes, std::uint64_t least, std::uint64_t& begin,
                        std::uint64_t& length, std::uint64_t& total);
    /// The runs of unwritten bytes, as places from `address` on and lengths; at most `most`.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten(std::uint64_t address, std::uint64_t bytes,
                                                                   std::size_t most);
    /// Kernels access the allocation in pieces of up to so many bytes: smaller gaps may be padding.
    void note_access_size(std::uint64_t address, std::uint32_t size);
    std::uint32_t widest_access(std::uint64_t address);
    /// Everything from `begin`, where an allocation begins, was written.
    bool all_is_written(const Allocation& allocation);

private:
    struct Chunk {
        std::uint64_t bits[chunk_bytes / 64];
    };
    class Reader;
    struct Known {
        std::uint64_t serial = 0, size = 0;
        bool tracked = false;
        std::uint32_t widest = 0;
        bool complete = false;
    };
    void set(std::uint64_t address, std::uint64_t bytes, bool written);
    Known* known_at(std::uint64_t address);
    bool is_written(std::uint64_t address) { return *word(address) >> address % 64 & 1; }

    const AddressSpace& memory_;
    std::shared_ptr<const std::vector<Allocation>> seen_;
    std::unordered_map<std::uint64_t, Known> known_;
    Chunked<Chunk> chunks_;
};

}  // namespace cudash::virtual_gpu
