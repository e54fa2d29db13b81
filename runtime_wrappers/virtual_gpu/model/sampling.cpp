#include "runtime_wrappers/virtual_gpu/model/sampling.h"

#include <algorithm>
#include <cmath>

#include "runtime_wrappers/virtual_gpu/model/filter_sum.h"
#include "runtime_wrappers/virtual_gpu/model/filter_weights.h"

namespace cudash::virtual_gpu {
namespace {

unsigned axes_of(ImageShape shape) {
    constexpr unsigned axes[] = {1, 1, 2, 3, 1, 2, 2, 2};
    return axes[static_cast<unsigned>(shape)];
}

std::uint64_t extent(const ImageLevel& level, unsigned axis) {
    return axis == 0 ? level.width : axis == 1 ? level.height : level.depth;
}

/// One level of an image, seen through a sampler.
struct View {
    const Image& image;
    const Sampler& sampler;
    const std::byte* bytes;
    const ImageLevel& level;

    const std::byte* texel(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
        static constexpr BorderTexel zero{};
        if (z >= level.stored_depth) return zero.data();
        return bytes + image.place(level, x, y, z);
    }
};

using Index = std::array<std::int64_t, 3>;

/// Where on its own face a texel of a neighbouring face is: the direction through the texel's centre, looked up again.
const std::byte* across_edge(const View& view, unsigned face, std::uint64_t first_slice, std::int64_t x,
                             std::int64_t y) {
    const auto n = static_cast<std::int64_t>(view.level.width);
    const double s = (2.0 * static_cast<double>(x) + 1) / static_cast<double>(n) - 1;
    const double t = (2.0 * static_cast<double>(y) + 1) / static_cast<double>(n) - 1;
    const std::array<std::array<double, 3>, 6> directions = {
        {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}}};
    const auto& direction = directions[face];
    const CubePlace place = cube_place(direction[0], direction[1], direction[2]);
    const auto inside = [&](double coordinate) {
        return static_cast<std::uint64_t>(
            std::clamp<std::int64_t>(nearest_texel(coordinate * static_cast<double>(n)), 0, n - 1));
    };
    return view.texel(inside(place.s), inside(place.t), first_slice + place.face);
}

/// Which axes of `index` lie beyond a face whose edges are filtered across: bit 0 for x, bit 1 for y.
unsigned beyond_edges(const View& view, const Index& index) {
    if (!is_cube(view.image.shape) || !view.sampler.seamless) return 0;
    const auto n = static_cast<std::int64_t>(view.level.width);
    return (index[0] < 0 || index[0] >= n ? 1u : 0u) | (index[1] < 0 || index[1] >= n ? 2u : 0u);
}

/// The texel at `index`, or the border's; `slice` is the layer or face of what is no 3D image. nullptr: beyond a cube's
/// corner, where only three faces meet.
const std::byte* texel_at(const View& view, const Index& index, std::uint64_t slice) {
    const unsigned beyond = beyond_edges(view, index);
    if (beyond == 3) return nullptr;
    if (beyond != 0) return across_edge(view, static_cast<unsigned>(slice % 6), slice / 6 * 6, index[0], index[1]);
    std::uint64_t at[3] = {0, 0, slice};
    for (unsigned a = 0; a < axes_of(view.image.shape); ++a) {
        const auto resolved = apply_address_mode(index[a], extent(view.level, a), view.sampler.address[a]);
        if (!resolved) return view.sampler.border.data();
        at[a] = *resolved;
    }
    return view.texel(at[0], at[1], at[2]);
}

/// Coordinates in texels of a level, and the slice.
struct LevelPoint {
    std::array<double, 3> at{};
    std::uint64_t slice = 0;
};
LevelPoint point_on_level(const View& view, const TexturePoint& point) {
    LevelPoint result;
    const ImageShape shape = view.image.shape;
    const unsigned axes = axes_of(shape);
    std::array<double, 3> at = point.at;
    bool normalized = view.sampler.normalized_coordinates;
    if (is_cube(shape)) {
        const CubePlace place = cube_place(at[0], at[1], at[2]);
        const std::uint64_t cubes = view.level.depth / 6;
        const std::uint64_t cube = shape == ImageShape::acube ? std::min<std::uint64_t>(point.layer, cubes - 1) : 0;
        result.slice = cube * 6 + place.face;
        at = {place.s, place.t};
        normalized = true;
    } else if (shape == ImageShape::a1d || shape == ImageShape::a2d) {
        result.slice = std::min<std::uint64_t>(point.layer, view.level.depth - 1);
    }
    for (unsigned a = 0; a < axes; ++a)
        result.at[a] =
            texel_coordinate(at[a], extent(view.level, a), normalized, view.sampler.address[a]) + point.offset[a];
    return result;
}

/// What a sample adds up.
class Quads {
public:
    void add(const Quad& quad) { quads_[count_++] = quad; }
    std::span<const Quad> all() const { return {quads_.data(), count_}; }

private:
    std::array<Quad, 4> quads_;  // two planes of a 3D image in each of two levels; only what was added is set
    std::size_t count_ = 0;
};

/// The fourth texel of a cube's corner is shared out among the other three.
void share_out_corner(Quad& quad) {
    for (unsigned t = 0; t < 4; ++t) {
        if (quad[t].texel) continue;
        const std::uint32_t third = (2 * quad[t].weight + 3) / 6;
        for (const unsigned neighbour : {t ^ 1, t ^ 2}) quad[neighbour].weight += third;
        quad[t ^ 3].weight += quad[t].weight - 2 * third;
        quad[t] = {};
    }
}

/// The footprint on one axis. Where coordinates are clamped, so is the point, to the middle of the outer texels: the
/// weights then differ from those of the same texel twice by what rounding does (measured on an H200).
Footprint footprint(const View& view, const LevelPoint& point, unsigned axis) {
    const Footprint found = linear_footprint(point.at[axis]);
    if (view.sampler.address[axis] != AddressMode::clamp || (is_cube(view.image.shape) && view.sampler.seamless))
        return found;
    const auto last = static_cast<std::int64_t>(extent(view.level, axis)) - 1;
    if (found.first < 0) return {};
    if (found.first >= last) return {last, 0};
    return found;
}

/// The four texels around a point, of `total` weight; a 1D image takes part as the upper row of a 2D one.
Quad quad_around(const View& view, const LevelPoint& point, std::int64_t z, std::uint32_t total) {
    const Footprint x = footprint(view, point, 0);
    const bool flat = axes_of(view.image.shape) == 1;
    const Footprint y = flat ? Footprint{} : footprint(view, point, 1);
    const QuadWeights weights = quad_weights(total, x.weight, y.weight);
    Quad quad{};
    for (unsigned t = 0; t < 4; ++t)
        if (weights[t] != 0)
            quad[t] = {texel_at(view, {x.first + (t & 1), y.first + (t >> 1), z}, point.slice), weights[t]};
    // A 1D array lies at y = 0, half way to the row above, and the second address mode says what is there (measured on
    // an H200; not so for layered ones).
    if (flat && view.image.shape == ImageShape::d1 && view.sampler.address[1] == AddressMode::border) {
        const QuadWeights halves = quad_weights(total, x.weight, weight_unit / 2);
        for (unsigned t = 0; t < 2; ++t) {
            quad[t].weight = halves[t + 2];
            quad[t + 2] = {view.sampler.border.data(), halves[t]};
        }
    }
    if (is_cube(view.image.shape)) share_out_corner(quad);
    return quad;
}

void add_level(Quads& quads, const View& view, const TexturePoint& point, std::uint32_t total) {
    if (total == 0) return;
    const LevelPoint place = point_on_level(view, point);
    if (!view.sampler.linear) {
        const Index index = {nearest_texel(place.at[0]), nearest_texel(place.at[1]), nearest_texel(place.at[2])};
        return quads.add({Tap{texel_at(view, index, place.slice), total}});
    }
    if (view.image.shape != ImageShape::d3) return quads.add(quad_around(view, place, 0, total));
    const Footprint z = footprint(view, place, 2);
    const std::uint32_t second = (total * z.weight + 128) / weight_unit;
    if (second != total) quads.add(quad_around(view, place, z.first, total - second));
    if (second != 0) quads.add(quad_around(view, place, z.first + 1, second));
}

/// The nearest texel, without a detour through weights.
Texel nearest(const View& view, const TexturePoint& point) {
    const LevelPoint place = point_on_level(view, point);
    const Index index = {nearest_texel(place.at[0]), nearest_texel(place.at[1]), nearest_texel(place.at[2])};
    return read_texel(texel_at(view, index, place.slice), view.image.format, view.sampler.read);
}

/// A level of detail in 256ths, after bias and clamps.
std::uint32_t level_of_detail(const Image& image, const Sampler& sampler, std::optional<double> level) {
    std::int32_t fixed = level ? fixed_level(*level) + fixed_level(sampler.level_bias) : 0;
    fixed = std::max(std::min(fixed, fixed_level(sampler.most_level)), fixed_level(sampler.least_level));
    const auto last = static_cast<std::int32_t>(image.levels.size() - 1);
    return static_cast<std::uint32_t>(std::clamp(fixed, 0, last * static_cast<std::int32_t>(weight_unit)));
}

float reciprocal(double value) {
    return static_cast<float>(1 / value);
}

}  // namespace

CubePlace cube_place(double x, double y, double z) {
    const double ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    unsigned face;
    double m, s, t;
    if (az >= ax && az >= ay) {
        face = z < 0 ? 5 : 4;
        m = az, s = z < 0 ? -x : x, t = -y;
    } else if (ay >= ax) {
        face = y < 0 ? 3 : 2;
        m = ay, s = x, t = y < 0 ? -z : z;
    } else {
        face = x < 0 ? 1 : 0;
        m = ax, s = x < 0 ? z : -z, t = -y;
    }
    if (!(m > 0)) return {face, 0.5, 0.5};
    const auto divided = [scale = reciprocal(m)](double numerator) {
        return (static_cast<double>(static_cast<float>(numerator) * scale) + 1) / 2;
    };
    return {face, divided(s), divided(t)};
}

Texel sample(const Image& image, const Sampler& sampler, const std::byte* bytes, const TexturePoint& point) {
    const auto view = [&](std::size_t level) { return View{image, sampler, bytes, image.levels[level]}; };
    const std::uint32_t level = image.levels.size() > 1 ? level_of_detail(image, sampler, point.level) : 0;
    if (!sampler.linear && !(sampler.linear_between_levels && level % weight_unit != 0)) {
        const std::uint32_t nearest_level = sampler.linear_between_levels ? level : level + weight_unit / 2;
        return nearest(view(nearest_level / weight_unit), point);
    }
    Quads quads;
    if (sampler.linear_between_levels) {
        const std::uint32_t next = level % weight_unit;
        add_level(quads, view(level / weight_unit), point, weight_unit - next);
        if (next != 0) add_level(quads, view(level / weight_unit + 1), point, next);
    } else {
        add_level(quads, view((level + weight_unit / 2) / weight_unit), point, weight_unit);
    }
    return filter_sum(quads.all(), image.format, sampler.read);
}

Texel fetch(const Image& image, const Sampler& sampler, const std::byte* bytes, const std::array<std::int64_t, 3>& at,
            std::uint32_t layer, std::int64_t level) {
    if (level < 0 || level >= static_cast<std::int64_t>(image.levels.size())) return {};
    // By a single index only linear memory is read; a 1D array gives zeros (measured on an H200).
    if (image.shape == ImageShape::d1) return {};
    const ImageLevel& extents = image.levels[static_cast<std::size_t>(level)];
    std::uint64_t place[3] = {0, 0, std::min<std::uint64_t>(layer, extents.depth - 1)};
    for (unsigned a = 0; a < axes_of(image.shape); ++a) {
        if (at[a] < 0 || at[a] >= static_cast<std::int64_t>(extent(extents, a))) return {};
        place[a] = static_cast<std::uint64_t>(at[a]);
    }
    const View view{image, sampler, bytes, extents};
    return read_texel(view.texel(place[0], place[1], place[2]), image.format, sampler.read);
}

Texel gather(const Image& image, const Sampler& sampler, const std::byte* bytes, const TexturePoint& point,
             unsigned component) {
    const View view{image, sampler, bytes, image.levels.front()};
    const LevelPoint place = point_on_level(view, point);
    const std::int64_t x = linear_footprint(place.at[0]).first, y = linear_footprint(place.at[1]).first;
    const std::array<Index, 4> corners = {Index{x, y + 1, 0}, {x + 1, y + 1, 0}, {x + 1, y, 0}, {x, y, 0}};
    Texel result;
    for (unsigned c = 0; c < 4; ++c) {
        const std::byte* texel = texel_at(view, corners[c], place.slice);
        // Beyond a cube's corner it is the texel in the corner.
        if (!texel)
            texel = view.texel(x < 0 ? 0 : view.level.width - 1, y < 0 ? 0 : view.level.height - 1, place.slice);
        // Fractions come as filtering gives them, signed bytes stretched to 16 bits.
        const bool fractions = image.format.kind != ChannelKind::floating && reads_floats(image.format, sampler.read);
        const Quad whole = {Tap{texel, weight_unit}};
        result.bits[c] = (fractions ? filter_sum({&whole, 1}, image.format, sampler.read)
                                    : read_texel(texel, image.format, sampler.read))
                             .bits[component];
    }
    return result;
}

namespace {

/// log2 in steps of 1/256, of the leading 8 bits of the fraction.
double approximate_log2(double length) {
    int exponent;
    const double fraction = std::frexp(length, &exponent) * 2 - 1;
    const double step = std::floor(fraction * 256);
    // The table's entries lie at the middle of the steps, but for the first and last, which join the octaves.
    double steps = std::floor(256 * std::log2(1 + (step + 0.5) / 256) + 0.469);
    if (step == 0) steps = 0;
    if (step == 255) steps = 255;
    return exponent - 1 + steps / 256;
}

}  // namespace

double level_of_gradients(const Image& image, const std::array<double, 3>& dx, const std::array<double, 3>& dy) {
    const auto axes = axes_of(image.shape);
    // The largest component and 11/32 of the others stand for the length.
    const auto length = [&](double sign_x, double sign_y) {
        std::array<double, 3> texels{};
        for (unsigned a = 0; a < axes; ++a)
            texels[a] =
                std::fabs(sign_x * dx[a] + sign_y * dy[a]) * static_cast<double>(extent(image.levels.front(), a));
        std::sort(texels.begin(), texels.end());
        return texels[2] + (texels[1] + texels[0]) * 11 / 32;
    };
    // A footprint that is long across both counts by its diagonals, of which 11/16 are taken (measured on an H200).
    const double longest = std::max({length(1, 0), length(0, 1), length(1, 1) * 11 / 16, length(1, -1) * 11 / 16});
    return longest > 0 && std::isfinite(longest) ? approximate_log2(longest)
           : longest > 0                         ? farthest_coordinate
                                                 : -farthest_coordinate;
}

}  // namespace cudash::virtual_gpu
