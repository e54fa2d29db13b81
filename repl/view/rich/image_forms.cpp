// Arrays as images: heat maps and pictures.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "repl/view/picture/svg.h"
#include "repl/view/pixels.h"
#include "repl/view/rich/forms.h"

namespace cudash::view {
namespace {

using Color = std::array<std::uint8_t, 3>;

/// As those of heat maps in a terminal, from dark blue by green to yellow.
constexpr std::array<Color, 10> heat_stops = {{{0, 0, 95},
                                               {0, 0, 135},
                                               {0, 95, 135},
                                               {0, 135, 135},
                                               {0, 175, 135},
                                               {95, 175, 95},
                                               {135, 175, 95},
                                               {175, 175, 95},
                                               {215, 215, 95},
                                               {255, 255, 95}}};
constexpr std::size_t heat_levels = 128;
constexpr Color no_number = {158, 158, 158};

std::vector<Color> heat_colors() {
    std::vector<Color> colors;
    for (std::size_t i = 0; i < heat_levels; ++i) {
        const double at = static_cast<double>(i) / (heat_levels - 1) * (heat_stops.size() - 1);
        const auto stop = std::min(static_cast<std::size_t>(at), heat_stops.size() - 2);
        Color color{};
        for (std::size_t c = 0; c < 3; ++c) {
            const double from = heat_stops[stop][c], to = heat_stops[stop + 1][c];
            color[c] = static_cast<std::uint8_t>(std::lround(std::lerp(from, to, at - static_cast<double>(stop))));
        }
        colors.push_back(color);
    }
    colors.push_back(no_number);
    return colors;
}

std::string web(const Color& color) {
    return fmt::format("#{:02x}{:02x}{:02x}", color[0], color[1], color[2]);
}

struct Size {
    std::size_t height = 1, width = 1;
};

/// In the array's own shape, at most `most` in each direction.
Size cells_of(const Array& array, std::uint64_t most) {
    const double longest = static_cast<double>(std::max(array.rows(), array.columns()));
    const double scale = std::min(1.0, static_cast<double>(most) / longest);
    const auto scaled = [&](std::uint64_t count) {
        return std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(static_cast<double>(count) * scale)), 1,
                                       static_cast<std::size_t>(std::min(count, most)));
    };
    return {scaled(array.rows()), scaled(array.columns())};
}

/// On a page: small ones are enlarged to be seen, with whole pixels for each cell.
std::pair<double, double> shown_size(const Size& cells) {
    const double longest = static_cast<double>(std::max(cells.height, cells.width));
    const double scale = longest < 320 ? std::max(1.0, std::floor(320 / longest)) : std::min(1.0, 640 / longest);
    // What is a hundred times as long as wide would be a line that nobody sees.
    const auto side = [&](std::size_t count) { return std::max(8.0, static_cast<double>(count) * scale); };
    return {side(cells.width), side(cells.height)};
}

std::string of_averages(const Array& array, const Size& cells) {
    if (cells.height >= array.rows() && cells.width >= array.columns()) return {};
    return fmt::format("; a cell is the average of {} x {} elements", (array.rows() + cells.height - 1) / cells.height,
                       (array.columns() + cells.width - 1) / cells.width);
}

}  // namespace

bool add_heat_map(const Array& array, std::string_view title, Rich& rich) {
    // An image of noise has 64 KiB then, which is what the size of a notebook allows.
    constexpr std::uint64_t most_cells = 256;
    const Size size = cells_of(array, most_cells);
    std::vector<double> cells;
    if (!reduce(array, size.height, size.width, cells)) return false;
    const auto [least, most] = range_of(cells);
    const std::vector<Color> colors = heat_colors();
    std::vector<unsigned char> pixels;
    for (const double cell : cells)
        pixels.push_back(
            static_cast<unsigned char>(std::isnan(cell) ? heat_levels : level(cell, least, most, heat_levels)));
    rich.png = png_of({static_cast<unsigned>(size.width), static_cast<unsigned>(size.height), 1, pixels, colors});
    const auto [width, height] = shown_size(size);
    constexpr double left = 60, top = 16, bar = 14, key = 20;
    const double tall = std::max(height, 80.0);
    Figure figure(left + width + key + bar + 76, top + tall + 4);
    const std::size_t inner = array.extent.size() - 1;
    figure.text(left, 11, fmt::format("{}", array.index(inner, 0)), Ink::quiet);
    if (array.columns() > 1)
        figure.text_before(left + width, 11, fmt::format("{}", array.index(inner, array.columns() - 1)));
    figure.text_before(left - 5, top + 10, array.label(0, 0));
    if (array.rows() > 1 && height > 24) figure.text_before(left - 5, top + height, array.label(array.rows() - 1, 0));
    figure.image(left, top, width, height, rich.png);
    constexpr std::size_t steps = 32;
    const double x = left + width + key, step = tall / steps;
    for (std::size_t i = 0; i < steps; ++i)
        figure.box(x, top + tall - step * static_cast<double>(i + 1), bar, step + 0.5,
                   web(colors[i * (heat_levels - 1) / (steps - 1)]));
    figure.text(x + bar + 4, top + 10, short_text(most), Ink::quiet);
    figure.text(x + bar + 4, top + tall, short_text(least), Ink::quiet);
    const bool has_gaps = std::ranges::any_of(cells, [](double cell) { return std::isnan(cell); });
    figure.set_caption(fmt::format("{}: {} to {}{}{}", title, short_text(least), short_text(most),
                                   of_averages(array, size), has_gaps ? "; gray: no finite number" : ""));
    rich.svg = figure.svg();
    return true;
}

bool add_image(const Array& array, std::string_view title, Rich& rich) {
    constexpr std::uint64_t most_pixels = 512;
    const Size size = cells_of(array, most_pixels);
    const std::size_t scalars = array.element.scalars.size();
    const std::size_t channels = scalars >= 3 ? 3 : 1;
    std::array<std::vector<double>, 3> cells;
    double least = 0, most = 255;
    for (std::size_t c = 0; c < channels; ++c)
        if (!reduce(array, size.height, size.width, cells[c], c)) return false;
    const bool bytes = scalars > 0 && array.element.scalars.front().bytes == 1;
    if (!bytes) {
        std::tie(least, most) = range_of(cells[0]);
        for (std::size_t c = 1; c < channels; ++c) {
            const auto [low, high] = range_of(cells[c]);
            least = std::min(least, low);
            most = std::max(most, high);
        }
        // Colors in floating point go from 0 to 1.
        if (channels == 3 && least >= 0 && most <= 1) least = 0, most = 1;
    }
    std::vector<unsigned char> pixels;
    for (std::size_t i = 0; i < size.height * size.width; ++i)
        for (std::size_t c = 0; c < channels; ++c) {
            const double value = cells[c][i];
            const double part = std::isnan(value) ? 0.0
                                : most > least    ? std::clamp((value - least) / (most - least), 0.0, 1.0)
                                                  : (value == 0 ? 0.0 : 1.0);
            pixels.push_back(static_cast<unsigned char>(std::lround(part * 255)));
        }
    rich.png = png_of({static_cast<unsigned>(size.width),
                       static_cast<unsigned>(size.height),
                       static_cast<int>(channels),
                       pixels,
                       {}});
    const auto [width, height] = shown_size(size);
    Figure figure(width, height);
    figure.image(0, 0, width, height, rich.png);
    figure.set_caption(fmt::format("{}{}", title, of_averages(array, size)));
    rich.svg = figure.svg();
    return true;
}

}  // namespace cudash::view
