// Images as the bytes of a PNG file.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "repl/view/array_files.h"

namespace cudash::view {

struct Pixels {
    unsigned width = 0, height = 0;  ///< at least 1
    int channels = 1;                ///< 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA
    std::span<const unsigned char> bytes;
    std::span<const std::array<std::uint8_t, 3>> palette{};  ///< at most 256 colors that bytes of one channel name
};

/// False where the sink takes no more.
bool write_pixels(const Sink& sink, const Pixels& pixels);
/// The file; empty where libpng has no memory.
std::string png_of(const Pixels& pixels);

}  // namespace cudash::view
