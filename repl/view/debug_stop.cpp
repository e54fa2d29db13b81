#include "repl/view/debug_stop.h"

#include <fmt/format.h>

#include <algorithm>

#include "repl/view/highlight.h"
#include "repl/view/lane_signs.h"
#include "repl/view/places.h"
#include "repl/view/wrap.h"

namespace cudash::view {
namespace {

/// `text` in at most `width` columns; what is cut off is ASCII in most cases.
std::string fitted_line(std::string_view text, unsigned width) {
    if (width == 0 || text.size() <= width) return std::string(text);
    std::size_t end = width - 1;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return std::string(text.substr(0, end)) + ">";
}

std::string source_of(const session::DebugStop& stop, const SourceLines& lines, const Style& style, unsigned width) {
    std::string text;
    const unsigned first = stop.where.line > lines_around_stop ? stop.where.line - lines_around_stop : 1;
    for (unsigned number = first; number <= stop.where.line + lines_around_stop; ++number) {
        const auto line = lines(stop.where.file, number);
        if (!line) continue;
        const std::string code = fitted_line(*line, width > 12 ? width - 8 : 0);
        std::string row = fmt::format("{} {:4}  {}", number == stop.where.line ? '>' : ' ', number,
                                      style.colour ? highlight(code, style) : code);
        while (row.ends_with(' ')) row.pop_back();
        text += (number == stop.where.line ? style.bold(row) : row) + "\n";
    }
    return text;
}

std::string row_of_lanes(const session::DebugStop& stop, const Style& style) {
    std::string row, legend;
    for (const char letter : stop.lanes) row += sign_of(letter).sign;
    while (row.ends_with(' ')) row.pop_back();
    for (const LaneSign& each : lane_signs) {
        const auto count = std::ranges::count(stop.lanes, each.letter);
        if (count == 0 || each.meaning.empty()) continue;
        legend += fmt::format("{}{} {} {}", legend.empty() ? "" : ", ", each.sign, count, each.meaning);
    }
    return fmt::format("  lanes {}\n        {}{}\n  {}\n", row, std::string(stop.lane, ' '), style.bold("^"),
                       style.dim(legend));
}

}  // namespace

std::string print(const session::DebugStop& stop, const SourceLines& lines, const Style& style, unsigned width) {
    std::string text;
    const auto add_wrapped = [&](std::string_view sentence) {
        for (const std::string& line : wrap(sentence, width, 2, "  ", LongWords::kept)) text += line + "\n";
    };
    if (!stop.why.empty()) add_wrapped(stop.why);
    if (stop.function.empty()) return text;
    const std::string place = stop.where.line != 0 ? fmt::format(" at {}:{}", stop.where.file, stop.where.line) : "";
    add_wrapped(fmt::format("{}{}, block {} thread {} (warp {} lane {}), moment {}", stop.function, place,
                            dim(stop.block), dim(stop.thread), stop.warp, stop.lane, stop.moment));
    if (stop.with_source && stop.where.line != 0) text += source_of(stop, lines, style, width);
    return text + row_of_lanes(stop, style);
}

std::string print(const session::DebugLanes& lanes, const Style& style, unsigned width) {
    constexpr unsigned assumed_width = 80;
    std::size_t widest = 1;
    for (const std::string& value : lanes.values) widest = std::max(widest, value.size());
    const std::size_t column = widest + 5;  // "31: " and a space
    std::size_t columns = 1;
    while (columns < 8 && 2 * columns * column <= (width ? width : assumed_width)) columns *= 2;
    std::string text = fmt::format("({}) {}\n", lanes.type, lanes.expression);
    for (std::size_t lane = 0; lane < lanes.values.size(); ++lane) {
        const bool there = lane < lanes.lanes.size() && sign_of(lanes.lanes[lane]).letter != 'n';
        const bool active = lane < lanes.lanes.size() && lanes.lanes[lane] == 'a';
        const std::string value = !lanes.values[lane].empty() ? lanes.values[lane] : there ? "-" : "";
        const std::string cell = fmt::format("{:>2}: {:<{}} ", lane, value, widest);
        text += !there               ? std::string(cell.size(), ' ')
                : lane == lanes.lane ? style.bold(cell)
                : active             ? cell
                                     : style.dim(cell);
        if ((lane + 1) % columns != 0) continue;
        while (text.ends_with(' ')) text.pop_back();
        text += "\n";
    }
    return text;
}

}  // namespace cudash::view
