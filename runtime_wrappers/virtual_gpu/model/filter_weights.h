// Where linear filtering looks and how much each texel counts (CUDA Programming Guide, "Linear Filtering"). The guide
// says "stored in 9-bit fixed point format with 8 bits of fractional value" of one axis; that the products of several
// axes are rounded to 8 bits too, and how, was measured on an H200.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime_wrappers/virtual_gpu/memory/image.h"

namespace cudash::virtual_gpu {

inline constexpr std::uint32_t weight_unit = 256;  ///< the weight 1

/// Beyond any image, and far from overflow.
inline constexpr double farthest_coordinate = 1e9;
/// Within farthest_coordinate on both sides; NaN is 0.
inline double bounded_coordinate(double coordinate) {
    return std::isnan(coordinate) ? 0 : std::clamp(coordinate, -farthest_coordinate, farthest_coordinate);
}

/// A coordinate in texels of an axis of `size` texels. Of a normalized coordinate only 21 bits of the fraction count,
/// or 22 or 23 on long axes (measured on an H200, from 1 to 131,072 texels); subnormal ones are 0.
inline double texel_coordinate(double coordinate, std::uint64_t size, bool normalized, AddressMode mode) {
    if (std::fabs(coordinate) < static_cast<double>(std::numeric_limits<float>::min())) return 0;
    if (!normalized) return bounded_coordinate(coordinate);
    // The period goes first: far coordinates keep their place in it. Each step is exact; std::fmod and std::ldexp would
    // give the same in many times the time.
    if (mode == AddressMode::wrap || mode == AddressMode::mirror) coordinate -= 2 * std::trunc(coordinate / 2);
    const double steps = size <= 8192 ? 0x1p21 : size <= 65536 ? 0x1p22 : 0x1p23;
    const double kept = std::floor(bounded_coordinate(coordinate) * steps) / steps;
    return bounded_coordinate(kept * static_cast<double>(size));
}

/// "i = floor(x)", for any coordinate, NaN and infinities included.
inline std::int64_t nearest_texel(double coordinate) {
    return static_cast<std::int64_t>(std::floor(bounded_coordinate(coordinate)));
}

/// Linear filtering on one axis: the value is (1 - a) * T[first] + a * T[first + 1] with a = weight / 256.
struct Footprint {
    std::int64_t first = 0;
    std::uint32_t weight = 0;  ///< 0 to 255
};
/// "x_B = x - 0.5; i = floor(x_B); a = frac(x_B), stored in 9-bit fixed point format with 8 bits of fractional value":
/// x_B is rounded to the nearest 1/256, so that an a that rounds to 1 is the next texel.
Footprint linear_footprint(double coordinate);

/// Weights of the texels (i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1).
using QuadWeights = std::array<std::uint32_t, 4>;
/// `total`, the weight of the plane that they are in, shared out by the weights `x` and `y` of i + 1 and j + 1.
QuadWeights quad_weights(std::uint32_t total, std::uint32_t x, std::uint32_t y);

/// A fixed-point number with 8 bits of fraction, for levels of detail: truncated toward 0, and 0 for NaN.
std::int32_t fixed_level(double level);

}  // namespace cudash::virtual_gpu
