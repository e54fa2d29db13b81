// The textures and surfaces that cases read and write: %NAME in a case's code is the handle of the one of that name.
// Both devices make the same ones, of CUDA arrays, with the same texels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime_wrappers/virtual_gpu/memory/image.h"

namespace cudash::oracle {

struct TestImage {
    std::string_view name;
    virtual_gpu::ImageObject::Kind kind;
    virtual_gpu::ImageShape shape;
    virtual_gpu::TexelFormat format;
    unsigned width, height, depth;  ///< 1 where the shape has no such axis; depth: also layers and faces
    std::string_view values;        ///< kind of operand that its channels hold
    unsigned levels = 1;
    bool normalized = false;         ///< coordinates; wraps then, clamps otherwise
    bool linear = false;             ///< filtered
    bool normalized_floats = false;  ///< read as such

    bool is_surface() const { return kind == virtual_gpu::ImageObject::Kind::surface; }
    virtual_gpu::ImageLevel level(unsigned index) const;  ///< rows and slices without gaps
    std::size_t bytes(unsigned index) const;
};

std::span<const TestImage> test_images();

/// The texels of a level, row by row.
std::vector<std::byte> texels_of(const TestImage& image, unsigned level);

/// Numbers of the images whose names a case's code has.
std::vector<std::size_t> images_in(std::string_view code);
/// Words that the surfaces of a case take behind its results: what they hold afterwards.
std::size_t surface_words(std::string_view code);

}  // namespace cudash::oracle
