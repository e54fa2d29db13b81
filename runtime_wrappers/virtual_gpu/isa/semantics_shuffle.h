// shfl: which lane a lane reads from.
#pragma once

#include <cstdint>

namespace cudash::virtual_gpu::semantics {

enum class Shuffle : std::uint8_t { up, down, bfly, idx };

struct ShuffleSource {
    std::uint32_t lane = 0;
    bool inside = false;  ///< false: the lane keeps its own value
};

/// PTX ISA, "shfl.sync": c holds the segment mask in bits 12..8 and the clamp in bits 4..0.
constexpr ShuffleSource shuffle_source(Shuffle mode, std::uint32_t lane, std::uint32_t b, std::uint32_t c) {
    const std::uint32_t distance = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    const std::uint32_t most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    if (mode == Shuffle::up) {
        const std::uint32_t source = lane - distance;
        return {source & 31, static_cast<std::int32_t>(source) >= static_cast<std::int32_t>(most)};
    }
    const std::uint32_t source = mode == Shuffle::down   ? lane + distance
                                 : mode == Shuffle::bfly ? lane ^ distance
                                                         : least | (distance & ~segment);
    return {source & 31, source <= most};
}

}  // namespace cudash::virtual_gpu::semantics
