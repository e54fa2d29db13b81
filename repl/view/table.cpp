#include "repl/view/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "repl/view/columns.h"

namespace cudash::view {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest = 8;  ///< no column is cut further

std::string cut(std::string_view text, std::size_t columns) {
    if (columns_of(text) <= columns) return std::string(text);
    std::string_view kept = text;
    while (!kept.empty() && columns_of(kept) > columns - 3) {
        kept.remove_suffix(1);
        while (!kept.empty() && (static_cast<unsigned char>(text[kept.size()]) & 0xC0) == 0x80) kept.remove_suffix(1);
    }
    return std::string(kept) + "...";
}

bool is_number(std::string_view cell) {
    return !cell.empty() && cell.find_first_not_of("0123456789.-") == std::string_view::npos;
}

/// Numbers are never cut, nor what stands above them.
std::vector<std::size_t> least_widths(const session::Table& table, const std::vector<std::size_t>& widths) {
    std::vector<std::size_t> least(widths.size(), narrowest);
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const bool numbers = std::ranges::all_of(
            table.rows, [&](const auto& row) { return i >= row.size() || row[i].empty() || is_number(row[i]); });
        if (numbers || widths[i] < narrowest) least[i] = widths[i];
    }
    return least;
}

}  // namespace

std::string print(const session::Table& table, const Style& style, unsigned width) {
    if (table.rows.empty()) return "none\n";
    std::vector<std::size_t> widths;
    for (const std::string& column : table.columns) widths.push_back(columns_of(column));
    for (const auto& row : table.rows)
        for (std::size_t i = 0; i < widths.size() && i < row.size(); ++i)
            widths[i] = std::max(widths[i], columns_of(row[i]));

    // The widest column gives way first.
    const auto total = [&] { return std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1)); };
    const std::vector<std::size_t> whole = widths, least = least_widths(table, widths);
    while (width > 0 && total() > width) {
        std::size_t widest = widths.size();
        for (std::size_t i = 0; i < widths.size(); ++i)
            if (widths[i] > least[i] && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
        if (widest == widths.size()) break;
        --widths[widest];
    }
    if (width > 0 && total() > width)  // what follows below has room again
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const std::size_t taken = i == 0 ? width / 2 : widths[0] + gap;
            widths[i] = std::min(whole[i], std::max<std::size_t>(least[i], width > taken ? width - taken : 0));
        }
    std::string text;
    const auto line = [&](const std::vector<std::string>& cells, bool heading, std::size_t begin, std::size_t end) {
        std::string row;
        const auto add = [&](std::size_t column, bool last) {
            const std::string cell = cut(column < cells.size() ? cells[column] : std::string(), widths[column]);
            row += heading ? style.bold(cell) : cell;
            if (!last) row.append(widths[column] - columns_of(cell) + gap, ' ');
        };
        add(0, begin == end);
        for (std::size_t i = begin; i < end; ++i) add(i, i + 1 == end);
        while (row.ends_with(' ')) row.pop_back();
        text += row + "\n";
    };
    // As many columns as fit after the first one; the others follow below.
    std::size_t begin = 1;
    do {
        std::size_t end = std::min(begin + 1, widths.size()),
                    used = widths[0] + gap + (begin < end ? widths[begin] : 0);
        while (end < widths.size() && (width == 0 || used + gap + widths[end] <= width)) used += gap + widths[end++];
        line(table.columns, true, begin, end);
        for (const auto& row : table.rows) line(row, false, begin, end);
        begin = end;
    } while (begin < widths.size());
    return text;
}

}  // namespace cudash::view
