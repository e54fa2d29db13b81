// Texture fetching as pure functions. Expected values are worked out by hand from the Programming Guide's formulas, or
// were measured on an H200 where the test says so.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime_wrappers/virtual_gpu/model/filter_sum.h"
#include "runtime_wrappers/virtual_gpu/model/filter_weights.h"
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
    made.border = border_texel({7, 8, 9, 10}, float1, ReadMode::element);
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

TEST_CASE("weights of two and three axes are rounded to 8 bits") {
    // Measured on an H200 with texels that are 0 but for one: weights of x and y, and of the four texels.
    struct Case {
        std::uint32_t x, y;
        QuadWeights weights;
    };
    for (const Case& row : {Case{128, 5, {126, 125, 2, 3}},
                            {64, 10, {185, 61, 7, 3}},
                            {192, 10, {62, 184, 2, 8}},
                            {128, 1, {128, 127, 0, 1}},
                            {255, 128, {1, 127, 0, 128}}})
        CHECK(quad_weights(256, row.x, row.y) == row.weights);
    for (std::uint32_t total = 0; total <= 256; total += 17)
        for (std::uint32_t x = 0; x < 256; ++x)
            for (std::uint32_t y = 0; y < 256; ++y) {
                const QuadWeights weights = quad_weights(total, x, y);
                REQUIRE(weights[0] + weights[1] + weights[2] + weights[3] == total);
                REQUIRE(weights[3] <= total);
            }
}

TEST_CASE("normalized coordinates have 21 bits of fraction") {
    const auto texel = [](float coordinate, std::uint64_t size, AddressMode mode) {
        return texel_coordinate(static_cast<double>(coordinate), size, true, mode);
    };
    // A third and a unit in the last place is not yet the second texel of three.
    CHECK(nearest_texel(texel(std::bit_cast<float>(0x3EAAAAABu), 3, AddressMode::clamp)) == 0);
    CHECK(nearest_texel(texel(std::bit_cast<float>(0x3F36DB70u), 7, AddressMode::clamp)) == 5);
    CHECK(texel(0.5f, 6, AddressMode::clamp) == 3);
    CHECK(nearest_texel(texel(-1e-30f, 8, AddressMode::wrap)) == -1);
    CHECK(nearest_texel(texel(-1e-40f, 8, AddressMode::wrap)) == 0);
    CHECK(texel(100000.5f, 16384, AddressMode::wrap) == 8192);
    CHECK(texel_coordinate(2.75, 3, false, AddressMode::clamp) == 2.75);
}

TEST_CASE("levels of detail are truncated toward 0") {
    CHECK(fixed_level(1.999) == 511);
    CHECK(fixed_level(-0.999) == -255);
    CHECK(fixed_level(std::nan("")) == 0);
    CHECK(fixed_level(1e30) > 1'000'000);
}

TEST_CASE("sums of floats, bit by bit") {
    // Measured on an H200: two texels, the second one's weight, the result.
    struct Case {
        std::uint32_t first, second, weight, result;
    };
    constexpr Case cases[] = {
        {0x3F800000, 0x3F800001, 0x80, 0x3F800001},  // a tie, away from zero
        {0x4B7FFFFF, 0xCB7FFFFE, 0x81, 0xC7FFFFBF},
        {0x3F800000, 0x32500000, 253, 0x3C400008},  // 4 bits beyond the last are kept, and the rest is cut off
        {0x3F800000, 0x31800000, 255, 0x3B800000},
        {0xB2E00000, 0x3FA00000, 1, 0x3B9FFFD0},
        {0x007FFFFF, 0x00800001, 14, 0x00000000},  // subnormals are 0
        {0x80000000, 0x80000000, 20, 0x80000000},
        {0x7F800000, 0xFF800000, 0x55, 0x7FFFFFFF},
        {0x3F800000, 0x7F812345, 0x03, 0x7FFFFFFF},
        {0x00000000, 0x7F800000, 0x31, 0x7F800000},
    };
    for (const Case& row : cases) {
        const std::uint32_t texels[] = {row.first, row.second};
        const auto* bytes = reinterpret_cast<const std::byte*>(texels);
        const Quad quad = {Tap{bytes, 256 - row.weight}, Tap{bytes + 4, row.weight}};
        CHECK(filter_sum({&quad, 1}, float1, ReadMode::element).bits[0] == row.result);
    }
}

TEST_CASE("sums of narrow channels, bit by bit") {
    const auto sum = [](std::uint16_t first, std::uint16_t second, std::uint32_t weight, const TexelFormat& format,
                        ReadMode mode) {
        std::array<std::byte, 4> bytes{};
        std::memcpy(bytes.data(), &first, format.channel_bytes);
        std::memcpy(bytes.data() + 2, &second, format.channel_bytes);
        const Quad quad = {Tap{bytes.data(), 256 - weight}, Tap{bytes.data() + 2, weight}};
        return filter_sum({&quad, 1}, format, mode).bits[0];
    };
    const TexelFormat u8{.kind = ChannelKind::unsigned_integer, .channels = 1, .channel_bytes = 1};
    const TexelFormat s8{.kind = ChannelKind::signed_integer, .channels = 1, .channel_bytes = 1};
    const TexelFormat half{.kind = ChannelKind::floating, .channels = 1, .channel_bytes = 2};
    using enum ReadMode;
    const auto bits = [](double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); };
    CHECK(sum(0, 1, 48, u8, normalized) == bits(48 / 65535.0));
    CHECK(sum(0, 1, 144, u8, normalized) == bits(145 / 65535.0));
    // Measured on an H200.
    CHECK(sum(0, 0xFF, 48, s8, normalized) == 0xBAC00180);
    CHECK(sum(0, 0xFF, 54, s8, normalized) == 0xBADC01B8);
    CHECK(sum(127, 0x80, 128, s8, normalized) == bits(-129 / 32767.0));
    CHECK(sum(0xD540, 0x3102, 253, half, element) == 0xBF548000);
    CHECK(sum(0x38F6, 0x644C, 10, half, element) == 0x422E0000);
    CHECK(sum(0x7C00, 0xFC00, 54, half, element) == 0x7FFFE000);
    // The darker level loses what does not fit the brighter one's steps.
    CHECK(sum(47, 48, 45, u8, srgb) == 0x3CE9C000);
    CHECK(sum(46, 47, 128, u8, srgb) == bits((1792 + 1864) / 2 / 65536.0));
}

TEST_CASE("border colours take the format of the texels") {
    const auto word = [](float colour, const TexelFormat& format, ReadMode mode) {
        const BorderTexel texel = border_texel({colour, 0, 0, 0}, format, mode);
        std::uint32_t bits;
        std::memcpy(&bits, texel.data(), 4);
        return bits;
    };
    const TexelFormat u8{.kind = ChannelKind::unsigned_integer, .channels = 1, .channel_bytes = 1};
    const TexelFormat s8{.kind = ChannelKind::signed_integer, .channels = 1, .channel_bytes = 1};
    const TexelFormat half{.kind = ChannelKind::floating, .channels = 1, .channel_bytes = 2};
    CHECK(word(0.3f, u8, ReadMode::normalized) == 76);
    CHECK(word(-1, u8, ReadMode::normalized) == 0);
    CHECK(word(7, u8, ReadMode::normalized) == 255);
    CHECK(word(-0.3f, s8, ReadMode::normalized) == (static_cast<std::uint32_t>(-38) & 0xFF));
    CHECK(word(0.3f, half, ReadMode::element) == 0x34CC);
    CHECK(word(1e6f, half, ReadMode::element) == 0x7BFF);
    CHECK(word(0.3f, u8, ReadMode::element) == 0x9A);
    CHECK(word(2.5f, float1, ReadMode::element) == 0x40200000);
}

TEST_CASE("one axis is filtered with the rounded weight") {
    const auto row = picture<float>(ImageShape::d1, float1, {0, 256, 1024, 4096}, 4);
    const Sampler linear = sampler(AddressMode::clamp, true, false);
    CHECK(real(sample(row.image, linear, row.bytes(), at(0.5))) == 0);
    CHECK(real(sample(row.image, linear, row.bytes(), at(1.25))) == 192);
    CHECK(real(sample(row.image, linear, row.bytes(), at(1.5 + 3.0 / 256))) == 256 + 9);
    CHECK(real(sample(row.image, linear, row.bytes(), at(-3))) == 0);
    CHECK(real(sample(row.image, linear, row.bytes(), at(30))) == 4096);
    Sampler border = sampler(AddressMode::border, true, false);
    border.address[1] = AddressMode::clamp;
    CHECK(real(sample(row.image, border, row.bytes(), at(0))) == 3.5f);
    // Measured on an H200: a 1D image lies half in the border of the second axis.
    border.address[1] = AddressMode::border;
    CHECK(real(sample(row.image, border, row.bytes(), at(0))) == 5.25f);
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
    CHECK(texel.bits == std::array<std::uint32_t, 4>{255, 128, 0, 0});
    point.read = ReadMode::normalized;
    texel = sample(bytes.image, point, bytes.bytes(), at(0));
    CHECK(real(texel, 0) == 1);
    CHECK(real(texel, 1) == 128.0f / 255);
    CHECK(texel.bits[3] == 0);
    point.read = ReadMode::srgb;
    CHECK(real(sample(bytes.image, point, bytes.bytes(), at(0)), 1) == 0.2158203125f);

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
    Sampler linear = sampler(AddressMode::clamp, true, true);
    // On the edge between +x and +z, seen from +z.
    const TexturePoint edge = at(1, 0, 1);
    CHECK(real(sample(cube.image, linear, cube.bytes(), edge)) == 40);
    linear.seamless = true;
    CHECK(real(sample(cube.image, linear, cube.bytes(), edge)) == 20);
    CHECK(real(sample(cube.image, linear, cube.bytes(), at(0.1, 0, 1))) == 40);
    // At a corner a quarter each of +z, +x and +y, and the last quarter is shared out: 86, 85 and 85 of 256.
    CHECK(real(sample(cube.image, linear, cube.bytes(), at(1, 1, 1))) == (86 * 40 + 85 * 20) / 256.0f);
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
    // Without a level there is no bias.
    point.least_level = 0;
    point.most_level = 10;
    CHECK(real(sample(tower.image, point, tower.bytes(), at(0.4))) == 0);
    CHECK(level_of_gradients(tower.image, {0.5, 0, 0}, {0.125, 0, 0}) == 1);
    // 11/16 of the diagonal, where that is longer.
    CHECK(level_of_gradients(tower.image, {0.5, 0, 0}, {0.25, 0, 0}) > 1);
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
