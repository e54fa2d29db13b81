// Heat maps, images, histograms and sparklines of arrays.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "repl/view/array_views.h"
#include "repl/view/rich/forms.h"

namespace cudash::view {
namespace {

constexpr std::size_t most_cells = 64, most_lines = 32;
constexpr std::string_view shades = " .:-=+*#%@";
constexpr std::array<std::string_view, 8> bars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/// From dark blue by green to yellow, in the 6x6x6 colours of terminals.
int heat_colour(double part) {
    constexpr std::array<int, 10> colours = {17, 18, 24, 30, 36, 71, 107, 143, 185, 227};
    return colours[level(part, 0, 1, colours.size())];
}

/// Rows and columns of cells for a picture at most `lines` high: a line is as high as two columns are wide.
std::pair<std::size_t, std::size_t> picture_size(const Array& array, std::size_t lines, std::size_t width) {
    double columns = static_cast<double>(std::min<std::uint64_t>(array.columns(), width));
    const double shape = static_cast<double>(array.rows()) / static_cast<double>(array.columns());
    double rows = std::min(static_cast<double>(array.rows()), columns * shape);
    if (rows > static_cast<double>(lines)) {
        columns = std::max(1.0, columns * static_cast<double>(lines) / rows);
        rows = static_cast<double>(lines);
    }
    return {static_cast<std::size_t>(std::max(1.0, rows)), static_cast<std::size_t>(columns)};
}

std::size_t usable(const Screen& screen) {
    return std::clamp<std::size_t>(screen.width, 20, 200);
}

}  // namespace

bool print_heat_map(const Array& array, const Screen& screen, std::string& text) {
    const std::size_t room = std::min(most_cells, usable(screen) / 2);
    const auto [height, width] = picture_size(array, most_lines, room);
    std::vector<double> cells;
    if (!reduce(array, height, width, cells)) return false;
    const auto [least, most] = range_of(cells);
    for (std::size_t y = 0; y < height; ++y) {
        std::string line;
        for (std::size_t x = 0; x < width; ++x) {
            const double value = cells[y * width + x];
            const char shade = std::isnan(value) ? '?' : shades[level(value, least, most, shades.size())];
            const double part = most > least ? (value - least) / (most - least) : 0.5;
            const std::string cell(2, shade);
            line += std::isnan(value) ? cell : screen.style.wrap(fmt::format("97;48;5;{}", heat_colour(part)), cell);
        }
        while (line.ends_with(' ')) line.pop_back();
        text += line + "\n";
    }
    text += fmt::format("'{}' = {} to '{}' = {}", shades.front(), short_text(least), shades.back(), short_text(most));
    if (height < array.rows() || width < array.columns())
        text += fmt::format("; a cell is the average of {} x {} elements", (array.rows() + height - 1) / height,
                            (array.columns() + width - 1) / width);
    text += "\n";
    return true;
}

bool print_sparkline(const Array& array, const Screen& screen, std::string& text) {
    Array line = array;  // all elements one after the other
    const std::size_t room = usable(screen);
    const bool flat = array.rows() > 1;
    const std::size_t width =
        static_cast<std::size_t>(std::min<std::uint64_t>(room, flat ? array.rows() : array.columns()));
    std::vector<double> cells;
    if (!(flat ? reduce(array, width, 1, cells) : reduce(array, 1, width, cells))) return false;
    const auto [least, most] = range_of(cells);
    for (const double cell : cells) {
        if (std::isnan(cell))
            text += '?';
        else if (screen.style.utf8)
            text += bars[level(cell, least, most, bars.size())];
        else
            text += shades[level(cell, least, most, shades.size())];
    }
    text += fmt::format("\n{} to {}{}\n", short_text(least), short_text(most), flat ? ", the rows' averages" : "");
    return true;
}

bool print_histogram(const Array& array, const Screen& screen, std::string& text) {
    Summary summary;
    if (!summarise(array, summary)) return false;
    constexpr std::size_t intervals = 16;
    const bool constant = !(summary.most > summary.least);
    const std::size_t count = constant ? 1 : intervals;
    std::vector<std::uint64_t> counts(count);
    if (!tally(array, summary.least, summary.most, counts)) return false;
    const std::uint64_t highest = std::max<std::uint64_t>(1, *std::max_element(counts.begin(), counts.end()));
    const double step = (summary.most - summary.least) / static_cast<double>(count);
    const std::size_t room = std::min<std::size_t>(50, usable(screen) > 40 ? usable(screen) - 36 : 10);
    for (std::size_t i = 0; i < count && summary.finite() > 0; ++i) {
        const std::size_t length = static_cast<std::size_t>(
            std::ceil(static_cast<double>(counts[i]) * static_cast<double>(room) / static_cast<double>(highest)));
        std::string bar;
        for (std::size_t j = 0; j < length; ++j) bar += screen.style.utf8 ? "█" : "#";
        std::string line = fmt::format("{:>12}  {:>9}  {}", short_text(summary.least + step * static_cast<double>(i)),
                                       counts[i], screen.style.accent(bar));
        while (line.ends_with(' ')) line.pop_back();
        text += line + "\n";
    }
    text += fmt::format("{} elements, {} to {}, mean {}, standard deviation {}, {} zero", summary.count,
                        short_text(summary.least), short_text(summary.most), short_text(summary.mean()),
                        short_text(summary.deviation()), summary.zeros);
    if (summary.nans) text += fmt::format(", {} NaN", summary.nans);
    if (summary.infinite) text += fmt::format(", {} infinite", summary.infinite);
    text += "\n";
    return true;
}

bool print_image(const Array& array, const Screen& screen, std::string& text) {
    const bool coloured = screen.style.colour && array.element.scalars.size() >= 3;
    const bool braille = !screen.style.colour && screen.style.utf8;
    // Pixels in one character, down and across: half blocks, dots of braille, or one.
    const std::size_t down = screen.style.colour ? 2 : braille ? 4 : 1, across = braille ? 2 : 1;
    const std::size_t room = std::min<std::size_t>(100, usable(screen));
    auto [height, width] = picture_size(array, 40 * down, room * across);
    if (down == 1) height = std::max<std::size_t>(1, height / 2);  // a character is twice as high as wide
    std::vector<double> channels[3];
    for (std::size_t i = 0; i < (coloured ? 3u : 1u); ++i)
        if (!reduce(array, height, width, channels[i], i)) return false;
    double least = 0, most = 255;
    const bool bytes = !array.element.scalars.empty() && array.element.scalars.front().bytes == 1;
    if (!bytes) std::tie(least, most) = range_of(channels[0]);
    const auto part = [&](std::size_t y, std::size_t x, std::size_t channel = 0) {
        if (y >= height || x >= width) return 0.0;
        const double value = channels[coloured ? channel : 0][y * width + x];
        if (std::isnan(value)) return 0.0;
        return most > least ? std::clamp((value - least) / (most - least), 0.0, 1.0) : (value == 0 ? 0.0 : 1.0);
    };
    for (std::size_t y = 0; y < height; y += down) {
        std::string line;
        for (std::size_t x = 0; x < width; x += across) {
            if (screen.style.colour) {
                const auto code = [&](std::size_t at) {
                    const auto channel = [&](std::size_t i) { return static_cast<int>(part(at, x, i) * 255); };
                    return fmt::format("{};{};{}", channel(0), channel(1), channel(2));
                };
                line += fmt::format("\033[38;2;{};48;2;{}m{}", code(y), code(y + 1), screen.style.utf8 ? "▀" : "\"");
            } else if (braille) {
                // Bayer's order makes greys of dots. Dots 1 2 3 7 stand in the left column, 4 5 6 8 in the right.
                constexpr int order[4][2] = {{0, 4}, {6, 2}, {1, 5}, {7, 3}};
                constexpr unsigned dots[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
                unsigned pattern = 0;
                for (std::size_t i = 0; i < 4; ++i)
                    for (std::size_t j = 0; j < 2; ++j)
                        if (part(y + i, x + j) > (order[i][j] + 0.5) / 8) pattern |= dots[i][j];
                const unsigned code = 0x2800 + pattern;
                line += static_cast<char>(0xe0 | code >> 12);
                line += static_cast<char>(0x80 | (code >> 6 & 0x3f));
                line += static_cast<char>(0x80 | (code & 0x3f));
            } else {
                line += shades[level(part(y, x), 0, 1, shades.size())];
            }
        }
        if (screen.style.colour) line += "\033[0m";
        while (line.ends_with(' ')) line.pop_back();
        text += line + "\n";
    }
    return true;
}

std::span<const ArrayForm> array_forms() {
    constexpr auto numbers = [](const Array& a, std::string_view title, Rich& rich) {
        return add_numbers(a, false, title, rich);
    };
    constexpr auto all = [](const Array& a, std::string_view title, Rich& rich) {
        return add_numbers(a, true, title, rich);
    };
    static constexpr std::array forms = {
        ArrayForm{"numbers", "values, the middle left out",
                  [](const Array& a, const Screen& s, std::string& t) { return print_numbers(a, s, false, t); },
                  numbers},
        ArrayForm{"all", "all values",
                  [](const Array& a, const Screen& s, std::string& t) { return print_numbers(a, s, true, t); }, all},
        ArrayForm{"heat", "averages as shades", print_heat_map, add_heat_map},
        ArrayForm{"image", "a picture", print_image, add_image},
        ArrayForm{"histogram", "how often values lie where, and their mean", print_histogram, add_histogram},
        ArrayForm{"spark", "a line of bars", print_sparkline, add_sparkline},
        ArrayForm{"hex", "bytes",
                  [](const Array& a, const Screen& s, std::string& t) { return print_hex(a, s, false, t); }, add_hex},
    };
    return forms;
}

}  // namespace cudash::view
