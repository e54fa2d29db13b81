// How much of a device's memory is taken, as cudaMemGetInfo tells it: the driver takes steps of 2 MiB, which small
// allocations share (recorded on an H200: one of 1,000 bytes takes 2 MiB, two more take nothing, one of 3 MiB takes 4).
#pragma once

#include <cstdint>

namespace cudash::virtual_gpu::runtime {

class MemoryUse {
public:
    static constexpr std::uint64_t step = std::uint64_t{2} << 20;

    void add(std::uint64_t size) { of(size) += rounded(size); }
    void remove(std::uint64_t size) { of(size) -= rounded(size); }
    /// Bytes that the device lacks; `more` bytes are in small allocations that are counted elsewhere.
    std::uint64_t taken(std::uint64_t more) const { return round_up(small_ + more, step) + large_; }

private:
    // How large an allocation is that has steps of its own is not known.
    static constexpr std::uint64_t most_shared = step / 2, granularity = 512;
    static constexpr std::uint64_t round_up(std::uint64_t size, std::uint64_t unit) {
        return (size + unit - 1) / unit * unit;
    }
    static std::uint64_t rounded(std::uint64_t size) {
        return round_up(size, size <= most_shared ? granularity : step);
    }
    std::uint64_t& of(std::uint64_t size) { return size <= most_shared ? small_ : large_; }

    std::uint64_t small_ = 0, large_ = 0;
};

}  // namespace cudash::virtual_gpu::runtime
