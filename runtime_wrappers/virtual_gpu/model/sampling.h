// Texture fetching as pure functions: from coordinates to texels and weights (CUDA Programming Guide, "Texture
// Fetching"; PTX ISA 9.7.9). Nothing here touches anything but the texels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime_wrappers/virtual_gpu/memory/image.h"

namespace cudash::virtual_gpu {

/// The texel that index `i` means on an axis of `n` > 0 texels; nullopt: the border's colour.
inline std::optional<std::uint64_t> apply_address_mode(std::int64_t i, std::uint64_t n, AddressMode mode) {
    const auto size = static_cast<std::int64_t>(n);
    if (i >= 0 && i < size) return static_cast<std::uint64_t>(i);
    switch (mode) {
        case AddressMode::wrap:
            return static_cast<std::uint64_t>((i % size + size) % size);
        case AddressMode::mirror: {
            const std::int64_t m = (i % (2 * size) + 2 * size) % (2 * size);
            return static_cast<std::uint64_t>(m < size ? m : 2 * size - 1 - m);
        }
        case AddressMode::clamp:
            return i < 0 ? 0 : n - 1;
        case AddressMode::border:
            break;
    }
    return std::nullopt;
}

/// A place on a cube: the face (+x, -x, +y, -y, +z, -z) and coordinates from 0 to 1 on it.
struct CubePlace {
    unsigned face = 0;
    double s = 0, t = 0;
};
/// "Cubemap Textures" of the Programming Guide, its table of faces. Of equal components z wins over y, and y over x. A
/// kernel divides by multiplying with the reciprocal, both rounded to float.
CubePlace cube_place(double x, double y, double z);

/// Coordinates of a fetch, as the shape has them: x; x, y; x, y, z; a cube's direction. `layer` of layered ones is
/// clamped to the layers that there are.
struct TexturePoint {
    std::array<double, 3> at{};
    std::uint32_t layer = 0;
    std::optional<double> level;  ///< of detail, before the sampler's bias and clamp; without one there is no bias
    std::array<std::int32_t, 3> offset{};  ///< texels, as tex's offset operand
};

/// A filtered or nearest texel. `bytes` is where the image's texels begin; all of them are readable.
Texel sample(const Image& image, const Sampler& sampler, const std::byte* bytes, const TexturePoint& point);

/// The texel at integer coordinates of a level, without filtering; outside the image it is 0.
Texel fetch(const Image& image, const Sampler& sampler, const std::byte* bytes, const std::array<std::int64_t, 3>& at,
            std::uint32_t layer, std::int64_t level);

/// tld4: channel `component` of the four texels that linear filtering would use, in the order (i, j + 1),
/// (i + 1, j + 1), (i + 1, j), (i, j).
Texel gather(const Image& image, const Sampler& sampler, const std::byte* bytes, const TexturePoint& point,
             unsigned component);

/// The level of detail of two gradients in normalized coordinates, in steps of 1/256: log2 of the longer one in texels.
/// The hardware's approximation for gradients along one axis each, measured on an H200; of slanting ones it is near.
double level_of_gradients(const Image& image, const std::array<double, 3>& dx, const std::array<double, 3>& dy);

}  // namespace cudash::virtual_gpu
