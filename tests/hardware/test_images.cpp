#include "tests/hardware/test_images.h"

#include <algorithm>
#include <string>

#include "tests/hardware/operand_values.h"

namespace cudash::oracle {
namespace {

using namespace virtual_gpu;
using enum ImageShape;

constexpr auto texture = ImageObject::Kind::texture, surface = ImageObject::Kind::surface;
constexpr TexelFormat float4_texels{ChannelKind::floating, 4, 4}, half4_texels{ChannelKind::floating, 4, 2},
    uint4_texels{ChannelKind::unsigned_integer, 4, 4}, int4_texels{ChannelKind::signed_integer, 4, 4},
    uchar4_texels{ChannelKind::unsigned_integer, 4, 1}, short2_texels{ChannelKind::signed_integer, 2, 2},
    uint_texels{ChannelKind::unsigned_integer, 1, 4}, uint2_texels{ChannelKind::unsigned_integer, 2, 4};

constexpr TestImage images[] = {
    {"tex_1d", texture, d1, float4_texels, 40, 1, 1, "moderate_f32"},
    {"tex_2d", texture, d2, float4_texels, 24, 10, 1, "moderate_f32"},
    {"tex_3d", texture, d3, float4_texels, 12, 6, 5, "moderate_f32"},
    {"tex_a1d", texture, a1d, float4_texels, 20, 1, 3, "moderate_f32"},
    {"tex_a2d", texture, a2d, float4_texels, 10, 6, 4, "moderate_f32"},
    {"tex_cube", texture, cube, float4_texels, 8, 8, 6, "moderate_f32", 1, true},
    {"tex_acube", texture, acube, float4_texels, 8, 8, 12, "moderate_f32", 1, true},
    {"tex_mip", texture, d2, float4_texels, 32, 16, 1, "moderate_f32", 4, true},
    {"tex_u32", texture, d2, uint4_texels, 24, 10, 1, "b32"},
    {"tex_s32", texture, d2, int4_texels, 24, 10, 1, "b32"},
    {"tex_f16", texture, d2, half4_texels, 24, 10, 1, "moderate_f16"},
    {"tex_u8", texture, d2, uchar4_texels, 24, 10, 1, "b8", 1, true, true, true},
    {"tex_s16", texture, d2, short2_texels, 24, 10, 1, "b16", 1, false, false, true},
    {"tex_smooth", texture, d2, float4_texels, 16, 16, 1, "moderate_f32", 1, true, true},
    {"surf_1d", surface, d1, uint4_texels, 40, 1, 1, "b32"},
    {"surf_2d", surface, d2, uint4_texels, 24, 10, 1, "b32"},
    {"surf_3d", surface, d3, uint4_texels, 12, 6, 5, "b32"},
    {"surf_a1d", surface, a1d, uint4_texels, 20, 1, 3, "b32"},
    {"surf_a2d", surface, a2d, uint4_texels, 10, 6, 4, "b32"},
    {"surf_u8", surface, d2, uchar4_texels, 24, 10, 1, "b8"},
    {"surf_f16", surface, d2, half4_texels, 24, 10, 1, "moderate_f16"},
    {"surf_sum_1d", surface, d1, uint_texels, 40, 1, 1, "b32"},
    {"surf_sum_2d", surface, d2, uint_texels, 24, 10, 1, "b32"},
    {"surf_sum_3d", surface, d3, uint_texels, 12, 6, 5, "b32"},
    {"surf_wide_2d", surface, d2, uint2_texels, 24, 10, 1, "b32"},
};

}  // namespace

ImageLevel TestImage::level(unsigned index) const {
    const auto halved = [&](unsigned size) { return std::max<std::uint64_t>(size >> index, 1); };
    ImageLevel made;
    made.width = halved(width);
    made.height = halved(height);
    made.depth = shape == d3 ? halved(depth) : depth;
    made.pitch = made.width * format.bytes();
    made.slice = made.pitch * made.height;
    return made;
}
std::size_t TestImage::bytes(unsigned index) const {
    const ImageLevel size = level(index);
    return size.slice * size.depth;
}

std::span<const TestImage> test_images() {
    return images;
}

std::vector<std::byte> texels_of(const TestImage& image, unsigned level) {
    std::vector<std::byte> bytes(image.bytes(level));
    const unsigned size = image.format.channel_bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::uint64_t value = operand_value(image.values, 4, 3 + level, i / size)[0];
        bytes[i] = static_cast<std::byte>(value >> i % size * 8);
    }
    return bytes;
}

std::vector<std::size_t> images_in(std::string_view code) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < std::size(images); ++i) {
        const std::string name = "%" + std::string(images[i].name);
        const std::size_t at = code.find(name);
        if (at == std::string_view::npos) continue;
        const char next = at + name.size() < code.size() ? code[at + name.size()] : ' ';
        if (next == ',' || next == ']' || next == ';') found.push_back(i);
    }
    return found;
}

std::size_t surface_words(std::string_view code) {
    std::size_t words = 0;
    for (std::size_t i : images_in(code))
        if (images[i].is_surface()) words += (images[i].bytes(0) + 7) / 8;
    return words;
}

}  // namespace cudash::oracle
