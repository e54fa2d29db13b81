#include "runtime_wrappers/virtual_gpu/model/sampling.h"

#include <algorithm>
#include <cmath>

namespace cudash::virtual_gpu {
namespace {

constexpr std::uint32_t weight_unit = 256;
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

    bool floats() const { return reads_floats(image.format, sampler.read); }
    const std::byte* texel(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
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

/// Numbers of the texel at `index`; `slice` is the layer or face of what is no 3D image.
TexelValues values_at(const View& view, const Index& index, std::uint64_t slice) {
    const unsigned axes = axes_of(view.image.shape);
    if (is_cube(view.image.shape)) {
        const auto n = static_cast<std::int64_t>(view.level.width);
        const bool outside_x = index[0] < 0 || index[0] >= n, outside_y = index[1] < 0 || index[1] >= n;
        if (view.sampler.seamless && (outside_x || outside_y)) {
            const std::uint64_t first = slice / 6 * 6;
            const auto face = static_cast<unsigned>(slice % 6);
            if (!(outside_x && outside_y))
                return read_values(across_edge(view, face, first, index[0], index[1]), view.image.format,
                                   view.sampler.read);
            // Three faces meet at a corner: there is no fourth texel, the mean of the three stands for it.
            const std::int64_t x = std::clamp<std::int64_t>(index[0], 0, n - 1);
            const std::int64_t y = std::clamp<std::int64_t>(index[1], 0, n - 1);
            TexelValues mean{};
            for (const std::byte* texel :
                 {view.texel(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y), slice),
                  across_edge(view, face, first, index[0], y), across_edge(view, face, first, x, index[1])}) {
                const TexelValues values = read_values(texel, view.image.format, view.sampler.read);
                for (unsigned c = 0; c < 4; ++c) mean[c] += values[c] / 3;
            }
            return mean;
        }
    }
    std::uint64_t at[3] = {0, 0, slice};
    for (unsigned a = 0; a < axes; ++a) {
        const AddressMode mode = is_cube(view.image.shape) ? AddressMode::clamp : view.sampler.address[a];
        const auto resolved = apply_address_mode(index[a], extent(view.level, a), mode);
        if (!resolved) return view.sampler.border;
        at[a] = *resolved;
    }
    return read_values(view.texel(at[0], at[1], at[2]), view.image.format, view.sampler.read);
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
    if (is_cube(shape)) {
        const CubePlace place = cube_place(point.at[0], point.at[1], point.at[2]);
        const std::uint64_t cubes = view.level.depth / 6;
        const std::uint64_t cube = shape == ImageShape::acube ? std::min<std::uint64_t>(point.layer, cubes - 1) : 0;
        result.at = {place.s * static_cast<double>(view.level.width), place.t * static_cast<double>(view.level.height)};
        result.slice = cube * 6 + place.face;
    } else {
        for (unsigned a = 0; a < axes; ++a) {
            const double scale = view.sampler.normalized_coordinates ? static_cast<double>(extent(view.level, a)) : 1.0;
            result.at[a] = point.at[a] * scale;
        }
        if (shape == ImageShape::a1d || shape == ImageShape::a2d)
            result.slice = std::min<std::uint64_t>(point.layer, view.level.depth - 1);
    }
    for (unsigned a = 0; a < axes; ++a) result.at[a] = bounded_coordinate(result.at[a]) + point.offset[a];
    return result;
}

template <unsigned Axes>
TexelValues filter(const View& view, const LevelPoint& point) {
    std::array<Footprint, Axes> footprints{};
    for (unsigned a = 0; a < Axes; ++a) footprints[a] = linear_footprint(point.at[a]);
    TexelValues sum{};
    double unit = 1;
    for (unsigned a = 0; a < Axes; ++a) unit *= weight_unit;
    for (unsigned corner = 0; corner < 1u << Axes; ++corner) {
        double weight = 1;
        Index index{};
        for (unsigned a = 0; a < Axes; ++a) {
            const bool second = (corner >> a & 1) != 0;
            weight *= second ? footprints[a].weight : weight_unit - footprints[a].weight;
            index[a] = footprints[a].first + second;
        }
        if (weight == 0) continue;
        const TexelValues values = values_at(view, index, point.slice);
        for (unsigned c = 0; c < 4; ++c) sum[c] += weight * values[c];
    }
    for (double& value : sum) value /= unit;
    return sum;
}

/// The nearest texel of what is no cube, without a detour through numbers.
template <unsigned Axes>
Texel nearest(const View& view, const TexturePoint& point) {
    const bool normalized = view.sampler.normalized_coordinates;
    std::uint64_t at[3] = {0, 0, Axes < 3 ? std::min<std::uint64_t>(point.layer, view.level.depth - 1) : 0};
    for (unsigned a = 0; a < Axes; ++a) {
        const std::uint64_t size = extent(view.level, a);
        const double scaled = normalized ? point.at[a] * static_cast<double>(size) : point.at[a];
        const auto resolved =
            apply_address_mode(nearest_texel(scaled) + point.offset[a], size, view.sampler.address[a]);
        if (!resolved) return to_texel(view.sampler.border, view.floats());
        at[a] = *resolved;
    }
    return read_texel(view.texel(at[0], at[1], at[2]), view.image.format, view.sampler.read);
}

TexelValues sample_level(const Image& image, const Sampler& sampler, const std::byte* bytes, std::size_t level,
                         const TexturePoint& point) {
    const View view{image, sampler, bytes, image.levels[level]};
    const LevelPoint place = point_on_level(view, point);
    constexpr TexelValues (*filters[])(const View&, const LevelPoint&) = {filter<1>, filter<2>, filter<3>};
    if (sampler.linear) return filters[axes_of(image.shape) - 1](view, place);
    return values_at(view, {nearest_texel(place.at[0]), nearest_texel(place.at[1]), nearest_texel(place.at[2])},
                     place.slice);
}

/// Nearest texels of 32-bit integers keep all their bits; double holds them exactly.
Texel finish(const Image& image, const Sampler& sampler, const TexelValues& values) {
    return to_texel(values, reads_floats(image.format, sampler.read));
}

}  // namespace

Footprint linear_footprint(double coordinate) {
    const auto fixed =
        static_cast<std::int64_t>(std::floor((bounded_coordinate(coordinate) - 0.5) * weight_unit + 0.5));
    return {fixed >> 8, static_cast<std::uint32_t>(fixed & (weight_unit - 1))};
}

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
    return {face, (s / m + 1) / 2, (t / m + 1) / 2};
}

Texel sample(const Image& image, const Sampler& sampler, const std::byte* bytes, const TexturePoint& point) {
    const auto last = static_cast<double>(image.levels.size() - 1);
    if (last == 0 && !sampler.linear && !is_cube(image.shape)) {
        const View view{image, sampler, bytes, image.levels.front()};
        constexpr Texel (*by_axes[])(const View&, const TexturePoint&) = {nearest<1>, nearest<2>, nearest<3>};
        return by_axes[axes_of(image.shape) - 1](view, point);
    }
    if (last == 0) return finish(image, sampler, sample_level(image, sampler, bytes, 0, point));
    double level = std::max(std::min(point.level + sampler.level_bias, sampler.most_level), sampler.least_level);
    level = std::isnan(level) ? 0 : std::clamp(level, 0.0, last);
    if (!sampler.linear_between_levels)
        return finish(image, sampler,
                      sample_level(image, sampler, bytes, static_cast<std::size_t>(std::floor(level + 0.5)), point));
    const auto fixed = static_cast<std::uint64_t>(std::floor(level * weight_unit + 0.5));
    const std::size_t first = fixed / weight_unit;
    const double weight = static_cast<double>(fixed % weight_unit) / weight_unit;
    TexelValues values = sample_level(image, sampler, bytes, first, point);
    if (weight > 0) {
        const TexelValues next = sample_level(image, sampler, bytes, first + 1, point);
        for (unsigned c = 0; c < 4; ++c) values[c] = (1 - weight) * values[c] + weight * next[c];
    }
    return finish(image, sampler, values);
}

Texel fetch(const Image& image, const Sampler& sampler, const std::byte* bytes, const std::array<std::int64_t, 3>& at,
            std::uint32_t layer, std::int64_t level) {
    if (level < 0 || level >= static_cast<std::int64_t>(image.levels.size())) return {};
    const ImageLevel& extents = image.levels[static_cast<std::size_t>(level)];
    std::uint64_t place[3] = {0, 0, std::min<std::uint64_t>(layer, extents.depth - 1)};
    for (unsigned a = 0; a < axes_of(image.shape); ++a) {
        if (at[a] < 0 || at[a] >= static_cast<std::int64_t>(extent(extents, a))) return {};
        place[a] = static_cast<std::uint64_t>(at[a]);
    }
    return read_texel(bytes + image.place(extents, place[0], place[1], place[2]), image.format, sampler.read);
}

Texel gather(const Image& image, const Sampler& sampler, const std::byte* bytes, const TexturePoint& point,
             unsigned component) {
    const View view{image, sampler, bytes, image.levels.front()};
    const LevelPoint place = point_on_level(view, point);
    const std::int64_t x = linear_footprint(place.at[0]).first, y = linear_footprint(place.at[1]).first;
    const std::array<Index, 4> corners = {Index{x, y + 1, 0}, {x + 1, y + 1, 0}, {x + 1, y, 0}, {x, y, 0}};
    TexelValues values{};
    for (unsigned c = 0; c < 4; ++c) values[c] = values_at(view, corners[c], place.slice)[component];
    return finish(image, sampler, values);
}

double level_of_gradients(const Image& image, const std::array<double, 3>& dx, const std::array<double, 3>& dy) {
    double longest = 0;
    for (const auto& gradient : {dx, dy}) {
        double squares = 0;
        for (unsigned a = 0; a < axes_of(image.shape); ++a) {
            const double texels = gradient[a] * static_cast<double>(extent(image.levels.front(), a));
            squares += texels * texels;
        }
        longest = std::max(longest, squares);
    }
    return longest > 0 ? std::log2(longest) / 2 : -farthest_coordinate;
}

}  // namespace cudash::virtual_gpu
