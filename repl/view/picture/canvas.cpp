#include "repl/view/picture/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cudash::view {
namespace {

constexpr std::string_view eighths[] = {"", "\u258F", "\u258E", "\u258D", "\u258C", "\u258B", "\u258A", "\u2589"};
constexpr std::string_view full = "\u2588";

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

std::string Canvas::paint(std::string_view code, std::string_view text) const {
    return colour ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

std::string Canvas::bar(double value, double most, unsigned cells, bool pad) const {
    const double share = most > 0 ? std::clamp(value / most, 0.0, 1.0) : 0.0;
    // What is there at all is seen.
    auto parts = static_cast<unsigned>(std::lround(share * cells * 8));
    if (value > 0 && parts == 0) parts = 1;
    std::string text;
    unsigned used = parts / 8;
    if (unicode) {
        for (unsigned i = 0; i < used; ++i) text += full;
        if (parts % 8 != 0 && used < cells) {
            text += eighths[parts % 8];
            ++used;
        }
    } else {
        used = std::min(cells, (parts + 7) / 8);
        text.assign(used, '#');
    }
    if (pad) text.append(cells - used, ' ');
    return text;
}

std::string Canvas::shade(double value, double most) const {
    constexpr std::string_view blocks[] = {"\u2591", "\u2592", "\u2593", "\u2588"};
    constexpr std::string_view plain = "-+*#";
    if (value <= 0 || most <= 0) return unicode ? "\u00B7" : ".";
    const auto step = static_cast<std::size_t>(std::clamp(std::ceil(4 * value / most), 1.0, 4.0)) - 1;
    return std::string(unicode ? blocks[step] : plain.substr(step, 1));
}

std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

std::string fitted(std::string_view text, std::size_t columns) {
    if (width_of(text) <= columns) return std::string(text);
    const std::size_t kept = columns > 3 ? columns - 3 : 0;
    std::size_t at = 0, seen = 0;
    while (at < text.size() && (seen < kept || continues(text[at]))) seen += !continues(text[at++]);
    while (at > 0 && at < text.size() && continues(text[at])) --at;
    return std::string(text.substr(0, at)) + std::string("...").substr(0, columns - kept);
}

std::string padded(std::string_view text, std::size_t columns) {
    std::string result = fitted(text, columns);
    result.append(columns - width_of(result), ' ');
    return result;
}

std::string wrapped(std::string_view text, const Canvas& canvas, unsigned indent) {
    std::string result, line(indent, ' ');
    bool empty = true;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (!empty && width_of(line) + 1 + width_of(word) > canvas.columns()) {
            result += line + "\n";
            line.assign(indent, ' ');
            empty = true;
        }
        if (!empty) line += ' ';
        line += word;
        empty = false;
    }
    return result + line + "\n";
}

std::string bytes_as_text(double bytes) {
    constexpr std::string_view units[] = {"bytes", "KB", "MB", "GB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit < 3) {
        bytes /= 1024;
        ++unit;
    }
    return bytes == std::floor(bytes) ? fmt::format("{:.0f} {}", bytes, units[unit])
                                      : fmt::format("{:.1f} {}", bytes, units[unit]);
}

}  // namespace cudash::view
