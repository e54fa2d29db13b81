// The sums of linear filtering, bit by bit. The arithmetic is documented nowhere; it was measured on an H200.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime_wrappers/virtual_gpu/memory/texel.h"

namespace cudash::virtual_gpu {

/// A texel and its weight in 256ths. Those of weight 0 do not take part.
struct Tap {
    const std::byte* texel;
    std::uint32_t weight;
};
/// Texels of one plane: they are aligned to the largest exponent among them before they are added.
using Quad = std::array<Tap, 4>;

/// The weighted sum of the quads, whose weights are 256 together, as a read of a format that gives floats returns it.
///
/// - float and half: significands are aligned to the largest exponent of their quad, keeping 4 bits beyond the last,
///   the sum of the products is exact, and it is rounded once, ties away from zero. Subnormal floats are 0.
/// - normalized integers: the sum is rounded to 16 bits; 8-bit channels are widened to them first.
/// - sRGB: levels are aligned without bits beyond the last, and the sum is rounded to half.
Texel filter_sum(std::span<const Quad> quads, const TexelFormat& format, ReadMode mode);

}  // namespace cudash::virtual_gpu
