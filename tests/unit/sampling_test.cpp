// Texture fetching as pure functions. Expected values are worked out by hand from the Programming Guide's formulas.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime_wrappers/virtual_gpu/model/sampling.h"

using namespace cudash::virtual_gpu;

namespace {

constexpr TexelFormat float1{.kind = ChannelKind::floating, .channels = 1, .channel_bytes = 4};

template <class T>
struct Picture {
    Image image;
    std::vector<T> texels;
    const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(texels.data()); }
};

template <class T>
Picture<T> picture(ImageShape shape, const TexelFormat& format, std::vector<T> texels, std::uint64_t width,
                   std::uint64_t height = 1, std::uint64_t depth = 1) {
    Picture<T> made;
    made.image.shape = shape;
    made.image.format = format;
    const std::uint64_t pitch = width * format.bytes();
    made.image.levels = {{.width = width, .height = height, .depth = depth, .pitch = pitch, .slice = pitch * height}};
    made.texels = std::move(texels);
    REQUIRE(made.texels.size() * sizeof(T) == pitch * height * depth);
    return made;
}

float real(const Texel& texel, unsigned channel = 0) {
    return std::bit_cast<float>(texel.bits[channel]);
}

Sampler sampler(AddressMode mode, bool linear, bool normalized) {
    Sampler made;
    for (AddressMode& axis : made.address) axis = mode;
    made.linear = linear;
    made.normalized_coordinates = normalized;
    made.border = {7, 8, 9, 10};
    return made;
}

TexturePoint at(double x, double y = 0, double z = 0) {
    TexturePoint point;
    point.at = {x, y, z};
    return point;
}

}  // namespace

TEST_CASE("address modes map every index") {
    const auto row = [](AddressMode mode) {
        std::vector<int> found;
        for (int i = -5; i < 8; ++i) {
            const auto index = apply_address_mode(i, 3, mode);
            found.push_back(index ? static_cast<int>(*index) : -1);
        }
        return found;
    };
    CHECK(row(AddressMode::clamp) == std::vector{0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2});
    CHECK(row(AddressMode::wrap) == std::vector{1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1});
    CHECK(row(AddressMode::mirror) == std::vector{1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1});
    CHECK(row(AddressMode::border) == std::vector{-1, -1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1, -1});
}

TEST_CASE("weights have 8 bits of fraction, rounded") {
    const auto check = [](double coordinate, std::int64_t first, unsigned weight) {
        const Footprint footprint = linear_footprint(coordinate);
        CHECK_MESSAGE(footprint.first == first, coordinate);
        CHECK_MESSAGE(footprint.weight == weight, coordinate);
    };
    check(0.5, 0, 0);
    check(1, 0, 128);
    check(0, -1, 128);
    check(0.5 + 1.0 / 256, 0, 1);
    check(0.5 + 0.49 / 256, 0, 0);
    check(0.5 + 0.51 / 256, 0, 1);
    check(1.5 - 0.49 / 256, 1, 0);
    check(1.5 - 0.51 / 256, 0, 255);
    check(-2.25, -3, 64);
    CHECK(linear_footprint(std::nan("")).first == -1);
    CHECK(linear_footprint(std::numeric_limits<double>::infinity()).first > 1'000'000);
    CHECK(nearest_texel(-std::numeric_limits<double>::infinity()) < -1'000'000);
    CHECK(nearest_texel(-0.25) == -1);
    CHECK(nearest_texel(2.999) == 2);
}

TEST_CASE("one axis is filtered with the rounded weight") {
    const auto row = picture<float>(ImageShape::d1, float1, {0, 256, 1024, 4096}, 4);
    const Sampler linear = sampler(AddressMode::clamp, true, false);
    CHECK(real(sample(row.image, linear, row.bytes(), at(0.5))) == 0);
    CHECK(real(sample(row.image, linear, row.bytes(), at(1.25))) == 192);
    CHECK(real(sample(row.image, linear, row.bytes(), at(1.5 + 3.0 / 256))) == 256 + 9);
    CHECK(real(sample(row.image, linear, row.bytes(), at(-3))) == 0);
    CHECK(real(sample(row.image, linear, row.bytes(), at(30))) == 4096);
    const Sampler border = sampler(AddressMode::border, true, false);
    CHECK(real(sample(row.image, border, row.bytes(), at(0))) == 3.5f);
    const Sampler wrapped = sampler(AddressMode::wrap, true, true);
    CHECK(real(sample(row.image, wrapped, row.bytes(), at(1))) == 2048);
    CHECK(real(sample(row.image, wrapped, row.bytes(), at(-0.75))) == 128);
}

TEST_CASE("a weight of zero keeps infinities out") {
    const auto row = picture<float>(ImageShape::d1, float1, {1, std::numeric_limits<float>::infinity()}, 2);
    CHECK(real(sample(row.image, sampler(AddressMode::clamp, true, false), row.bytes(), at(0.5))) == 1);
}

TEST_CASE("two and three axes") {
    const auto square = picture<float>(ImageShape::d2, float1, {0, 1, 2, 3}, 2, 2);
    const Sampler linear = sampler(AddressMode::clamp, true, false);
    CHECK(real(sample(square.image, linear, square.bytes(), at(1, 1))) == 1.5f);
    CHECK(real(sample(square.image, linear, square.bytes(), at(0.75, 1.25))) == 0.25f + 1.5f);
    const auto cube = picture<float>(ImageShape::d3, float1, {0, 1, 2, 3, 4, 5, 6, 7}, 2, 2, 2);
    CHECK(real(sample(cube.image, linear, cube.bytes(), at(1, 1, 1))) == 3.5f);
    const Sampler nearest = sampler(AddressMode::clamp, false, false);
    CHECK(real(sample(cube.image, nearest, cube.bytes(), at(1.9, 0.9, 1.1))) == 5);
    TexturePoint moved = at(1.9, 0.9, 1.1);
    moved.offset = {-1, 1, 0};
    CHECK(real(sample(cube.image, nearest, cube.bytes(), moved)) == 6);
}

TEST_CASE("layers are clamped, not filtered") {
    const auto layers = picture<float>(ImageShape::a1d, float1, {0, 1, 10, 11, 20, 21}, 2, 1, 3);
    TexturePoint point = at(1);
    const Sampler linear = sampler(AddressMode::clamp, true, false);
    for (auto [layer, value] : {std::pair(0u, 0.5f), {1u, 10.5f}, {2u, 20.5f}, {7u, 20.5f}, {~0u, 20.5f}}) {
        point.layer = layer;
        CHECK(real(sample(layers.image, linear, layers.bytes(), point)) == value);
    }
}

TEST_CASE("integers are read as they are, or as fractions") {
    const TexelFormat u8{.kind = ChannelKind::unsigned_integer, .channels = 2, .channel_bytes = 1};
    const auto bytes = picture<std::uint8_t>(ImageShape::d1, u8, {255, 128, 1, 0}, 2);
    Sampler point = sampler(AddressMode::clamp, false, false);
    Texel texel = sample(bytes.image, point, bytes.bytes(), at(0));
    CHECK(texel.bits == std::array<std::uint32_t, 4>{255, 128, 0, 1});
    point.read = ReadMode::normalized;
    texel = sample(bytes.image, point, bytes.bytes(), at(0));
    CHECK(real(texel, 0) == 1);
    CHECK(real(texel, 1) == 128.0f / 255);
    CHECK(real(texel, 3) == 1);
    point.read = ReadMode::srgb;
    CHECK(real(sample(bytes.image, point, bytes.bytes(), at(0)), 1) == doctest::Approx(0.2158605).epsilon(1e-6));

    const TexelFormat s16{.kind = ChannelKind::signed_integer, .channels = 1, .channel_bytes = 2};
    const auto shorts = picture<std::int16_t>(ImageShape::d1, s16, {-32768, -32767, -1, 32767}, 4);
    Sampler signs = sampler(AddressMode::clamp, false, false);
    CHECK(static_cast<std::int32_t>(sample(shorts.image, signs, shorts.bytes(), at(2)).bits[0]) == -1);
    signs.read = ReadMode::normalized;
    CHECK(real(sample(shorts.image, signs, shorts.bytes(), at(0))) == -1);
    CHECK(real(sample(shorts.image, signs, shorts.bytes(), at(1))) == -1);
    CHECK(real(sample(shorts.image, signs, shorts.bytes(), at(3))) == 1);

    const TexelFormat half{.kind = ChannelKind::floating, .channels = 1, .channel_bytes = 2};
    const auto halves = picture<std::uint16_t>(ImageShape::d1, half, {0x3C00, 0xC000}, 2);
    CHECK(real(sample(halves.image, sampler(AddressMode::clamp, true, false), halves.bytes(), at(1))) == -0.5f);
}

TEST_CASE("converted writes clamp and round") {
    std::array<std::byte, 8> place{};
    write_texel(place.data(), {.kind = ChannelKind::unsigned_integer, .channels = 2, .channel_bytes = 1},
                {300, 7, 1, 1});
    CHECK(std::to_integer<int>(place[0]) == 255);
    CHECK(std::to_integer<int>(place[1]) == 7);
    CHECK(std::to_integer<int>(place[2]) == 0);
    write_texel(place.data(), {.kind = ChannelKind::signed_integer, .channels = 1, .channel_bytes = 1},
                {static_cast<std::uint32_t>(-1000)});
    CHECK(static_cast<std::int8_t>(place[0]) == -128);
    write_texel(place.data(), {.kind = ChannelKind::floating, .channels = 1, .channel_bytes = 2},
                {std::bit_cast<std::uint32_t>(1.0f)});
    std::uint16_t half;
    std::memcpy(&half, place.data(), 2);
    CHECK(half == 0x3C00);
}

TEST_CASE("fetches by index have no modes") {
    const auto row = picture<float>(ImageShape::linear, float1, {5, 6, 7}, 3);
    const Sampler any = sampler(AddressMode::clamp, false, false);
    CHECK(real(fetch(row.image, any, row.bytes(), {2, 0, 0}, 0, 0)) == 7);
    CHECK(fetch(row.image, any, row.bytes(), {3, 0, 0}, 0, 0).bits == std::array<std::uint32_t, 4>{});
    CHECK(fetch(row.image, any, row.bytes(), {-1, 0, 0}, 0, 0).bits == std::array<std::uint32_t, 4>{});
    CHECK(fetch(row.image, any, row.bytes(), {1, 0, 0}, 0, 1).bits == std::array<std::uint32_t, 4>{});
}

TEST_CASE("directions name faces of a cube") {
    const auto check = [](double x, double y, double z, unsigned face, double s, double t) {
        const CubePlace place = cube_place(x, y, z);
        CHECK(place.face == face);
        CHECK(place.s == s);
        CHECK(place.t == t);
    };
    check(2, 1, -1, 0, 0.75, 0.25);
    check(-2, 1, -1, 1, 0.25, 0.25);
    check(1, 2, -1, 2, 0.75, 0.25);
    check(1, -2, -1, 3, 0.75, 0.75);
    check(1, -1, 2, 4, 0.75, 0.75);
    check(1, -1, -2, 5, 0.25, 0.75);
    CHECK(cube_place(1, 1, 1).face == 4);
    CHECK(cube_place(1, 1, 0).face == 2);
    CHECK(cube_place(0, 0, 0).s == 0.5);
}

TEST_CASE("cube faces are clamped, or filtered across their edges") {
    std::vector<float> texels;
    for (int face = 0; face < 6; ++face)
        for (int i = 0; i < 4; ++i) texels.push_back(static_cast<float>(face * 10));
    const auto cube = picture<float>(ImageShape::cube, float1, texels, 2, 2, 6);
    Sampler linear = sampler(AddressMode::wrap, true, true);
    // On the edge between +x and +z, seen from +z.
    const TexturePoint edge = at(1, 0, 1);
    CHECK(real(sample(cube.image, linear, cube.bytes(), edge)) == 40);
    linear.seamless = true;
    CHECK(real(sample(cube.image, linear, cube.bytes(), edge)) == 20);
    CHECK(real(sample(cube.image, linear, cube.bytes(), at(0.1, 0, 1))) == 40);
    // At a corner a quarter each of +z, +x and +y, and of the mean of the three.
    CHECK(real(sample(cube.image, linear, cube.bytes(), at(1, 1, 1))) == 20);
}

TEST_CASE("levels of detail are chosen or filtered") {
    Picture<float> tower = picture<float>(ImageShape::d1, float1, {0, 0, 0, 0, 100, 100, 200}, 7);
    tower.image.levels = {{.width = 4, .offset = 0, .pitch = 16, .slice = 16},
                          {.width = 2, .offset = 16, .pitch = 8, .slice = 8},
                          {.width = 1, .offset = 24, .pitch = 4, .slice = 4}};
    Sampler point = sampler(AddressMode::clamp, false, true);
    point.most_level = 10;
    const auto value = [&](double level) {
        TexturePoint where = at(0.4);
        where.level = level;
        return real(sample(tower.image, point, tower.bytes(), where));
    };
    CHECK(value(-1) == 0);
    CHECK(value(0.4) == 0);
    CHECK(value(0.6) == 100);
    CHECK(value(1.7) == 200);
    CHECK(value(9) == 200);
    point.linear_between_levels = true;
    CHECK(value(0.25) == 25);
    CHECK(value(1.5) == 150);
    point.level_bias = 0.5;
    CHECK(value(0.25) == 75);
    point.least_level = 1;
    CHECK(value(0) == 100);
    point.most_level = 1.5;
    CHECK(value(9) == 150);
    CHECK(level_of_gradients(tower.image, {0.5, 0, 0}, {0.25, 0, 0}) == 1);
    CHECK(level_of_gradients(tower.image, {0.25, 0, 0}, {0, 0, 0}) == 0);
    CHECK(level_of_gradients(tower.image, {0, 0, 0}, {0, 0, 0}) < -100);
}

TEST_CASE("gathers take the footprint's texels counter-clockwise") {
    const auto square = picture<float>(ImageShape::d2, float1, {0, 1, 2, 3, 4, 5, 6, 7, 8}, 3, 3);
    const Sampler clamp = sampler(AddressMode::clamp, false, false);
    const Texel texel = gather(square.image, clamp, square.bytes(), at(1.2, 1.3), 0);
    CHECK(real(texel, 0) == 3);
    CHECK(real(texel, 1) == 4);
    CHECK(real(texel, 2) == 1);
    CHECK(real(texel, 3) == 0);
    CHECK(real(gather(square.image, clamp, square.bytes(), at(9, 9), 0), 3) == 8);
}
