// Values and bytes of arrays, with the middle left out.
#include <fmt/format.h>

#include <algorithm>

#include "repl/view/array_texts.h"
#include "repl/view/array_views.h"

namespace cudash::view {
namespace {

constexpr std::uint64_t first_rows = 8, last_rows = 3;

std::string right(const std::string& value, std::size_t width) {
    return std::string(width > value.size() ? width - value.size() : 0, ' ') + value;
}

/// One dimension: as many values in a line as fit, under the index of each line's first.
bool print_line(const Array& array, const Screen& screen, bool all, std::string& text) {
    const std::uint64_t count = array.columns();
    // Most of what is shown is the beginning.
    const std::uint64_t last = screen.elements / 6;
    const Elision shown = elide(count, 5 * last, last, all);
    std::vector<std::string> texts;
    if (!read_texts(array, 0, 0, shown.head, texts) || !read_texts(array, 0, shown.tail, count - shown.tail, texts))
        return false;
    std::size_t width = 1;
    for (const std::string& each : texts) width = std::max(width, each.size());
    const std::size_t label = fmt::format("[{}]", array.index(0, count - 1)).size();
    std::size_t in_line = std::max<std::size_t>(1, (screen.width > label ? screen.width - label : 0) / (width + 1));
    for (const std::size_t round : {64u, 32u, 16u, 8u, 4u})
        if (in_line >= round) {
            in_line = round;
            break;
        }
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::uint64_t index = i < shown.head ? i : shown.tail + (i - shown.head);
        const bool gap = shown.any() && index == shown.tail;
        const std::size_t in_part = i < shown.head ? i : i - shown.head;
        if (in_part % in_line == 0) {
            if (i > 0) text += '\n';
            if (gap) text += fmt::format("... {} more ...\n", shown.tail - shown.head);
            text += fmt::format("{:<{}}", fmt::format("[{}]", array.index(0, index)), label);
        }
        text += " " + right(texts[i], width);
    }
    text += '\n';
    return true;
}

}  // namespace

bool print_numbers(const Array& array, const Screen& screen, bool all, std::string& text) {
    if (array.extent.size() == 1 && array.columns() > 1) return print_line(array, screen, all, text);
    const std::uint64_t rows = array.rows(), columns = array.columns();
    // A probe of the first row says how many columns fit.
    std::vector<std::string> probe;
    if (!read_texts(array, 0, 0, std::min<std::uint64_t>(columns, 64), probe)) return false;
    if (!read_texts(array, rows - 1, 0, std::min<std::uint64_t>(columns, 64), probe)) return false;
    std::size_t width = 1;
    for (const std::string& each : probe) width = std::max(width, each.size());
    const std::size_t label =
        std::max(array.label(0, 0).size(), array.label(rows - 1, 0).size());  // of the rows, under their first element
    const std::size_t fit = std::max<std::size_t>(4, (screen.width > label ? screen.width - label : 0) / (width + 1));
    Elision across{columns, columns};
    if (!all && columns > fit) across = elide(columns, fit - fit / 4 - 1, fit / 4, false);
    const Elision down = elide(rows, first_rows, last_rows, all);

    std::vector<std::pair<std::string, std::vector<std::string>>> lines;
    for (std::uint64_t row = 0; row < rows; ++row) {
        if (down.any() && row == down.head) row = down.tail;
        std::vector<std::string> texts;
        if (!read_texts(array, row, 0, across.head, texts)) return false;
        if (across.any()) texts.emplace_back("...");
        if (!read_texts(array, row, across.tail, columns - across.tail, texts)) return false;
        for (const std::string& each : texts) width = std::max(width, each.size());
        lines.emplace_back(array.label(row, 0), std::move(texts));
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (down.any() && i == down.head) text += fmt::format("... {} more rows ...\n", down.tail - down.head);
        std::string line = fmt::format("{:<{}}", lines[i].first, label);
        for (const std::string& each : lines[i].second) line += " " + (each == "..." ? each : right(each, width));
        text += line + "\n";
    }
    return true;
}

bool print_hex(const Array& array, const Screen&, bool all, std::string& text) {
    HexDump dump;
    if (!read_hex(array, all, dump)) return false;
    for (const HexDump::Line& line : dump.lines)
        text += fmt::format("{:08x}{}  {}\n", line.offset, line.digits, line.letters);
    if (dump.left_out > 0) text += fmt::format("... {} more bytes ...\n", dump.left_out);
    return true;
}

}  // namespace cudash::view
