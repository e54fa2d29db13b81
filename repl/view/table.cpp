#include "repl/view/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ranges>
#include <vector>

#include "repl/view/columns.h"
#include "repl/view/wrap.h"

namespace cudash::view {
namespace {

constexpr std::size_t narrowest_column = 7;  ///< no column becomes narrower

std::size_t longest_word(std::string_view text) {
    std::size_t longest = 0;
    for (const auto& word : std::views::split(text, ' '))
        longest = std::max(longest, columns_of(std::string_view(word.begin(), word.end())));
    return longest;
}

bool is_number(std::string_view cell) {
    return !cell.empty() && cell.find_first_not_of("0123456789.-") == std::string_view::npos;
}

/// Numbers are never cut, nor are the words above them.
std::vector<std::size_t> least_widths(const session::Table& table, const std::vector<std::size_t>& widths) {
    std::vector<std::size_t> least(widths.size(), narrowest_column);
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const bool numbers = std::ranges::all_of(
            table.rows, [&](const auto& row) { return i >= row.size() || row[i].empty() || is_number(row[i]); });
        if (numbers || widths[i] < narrowest_column) least[i] = widths[i];
        if (!numbers) continue;
        least[i] = longest_word(table.columns[i]);
        for (const auto& row : table.rows)
            if (i < row.size()) least[i] = std::max(least[i], columns_of(row[i]));
    }
    return least;
}

}  // namespace

std::string print(const session::Table& table, const Style& style, unsigned width) {
    if (table.rows.empty()) return "none\n";
    std::vector<std::size_t> widths, words;
    const auto measure = [&](const std::vector<std::string>& cells) {
        for (std::size_t i = 0; i < widths.size() && i < cells.size(); ++i) {
            widths[i] = std::max(widths[i], columns_of(cells[i]));
            words[i] = std::max(words[i], longest_word(cells[i]));
        }
    };
    widths.resize(table.columns.size());
    words.resize(table.columns.size());
    measure(table.columns);
    for (const auto& row : table.rows) measure(row);

    // The widest column gives way first, between words. The first column names the row and stays, but for words of it
    // that take more than half of the room.
    const std::vector<std::size_t> whole = widths, least = least_widths(table, widths);
    std::size_t gap = 2;
    const auto fits = [&] {
        return width == 0 || std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1)) <= width;
    };
    const auto shrink = [&](std::size_t first, const auto& limit, std::size_t end = std::string::npos) {
        while (!fits()) {
            std::size_t widest = widths.size();
            for (std::size_t i = first; i < std::min(end, widths.size()); ++i)
                if (widths[i] > limit(i) && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
            if (widest == widths.size()) return;
            --widths[widest];
        }
    };
    shrink(
        0,
        [&](std::size_t i) {
            return std::max({words[i], least[i], std::size_t{width} / 2});
        },
        1);
    shrink(1, [&](std::size_t i) { return std::max(words[i], least[i]); });
    if (!fits()) gap = 1;
    if (!fits()) {  // rather than to break words; what follows below has room again
        if (widths.size() > 2) gap = 2;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const std::size_t taken = i == 0 ? width / 2 : widths[0] + gap;
            widths[i] = std::min(whole[i], std::max<std::size_t>(least[i], width > taken ? width - taken : 0));
        }
    }
    std::string text;
    const auto line = [&](const std::vector<std::string>& cells, bool heading, std::size_t begin, std::size_t end) {
        std::vector<std::size_t> columns = {0};
        for (std::size_t i = begin; i < end; ++i) columns.push_back(i);
        std::vector<std::vector<std::string>> wrapped;
        std::size_t height = 1;
        for (const std::size_t column : columns) {
            const std::string_view cell = column < cells.size() ? std::string_view(cells[column]) : std::string_view();
            const std::string indent(std::min(cell.find_first_not_of(' '), cell.size()), ' ');
            wrapped.push_back(wrap(cell, widths[column], 0, indent, LongWords::broken));
            height = std::max(height, wrapped.back().size());
        }
        for (std::size_t row = 0; row < height; ++row) {
            for (std::size_t i = 0; i < columns.size(); ++i) {
                const std::string piece = row < wrapped[i].size() ? wrapped[i][row] : std::string();
                const std::size_t wide = widths[columns[i]];
                text += heading ? style.bold(piece) : piece;
                if (i + 1 < columns.size()) text.append(wide - std::min(wide, columns_of(piece)) + gap, ' ');
            }
            while (text.ends_with(' ')) text.pop_back();
            text += '\n';
        }
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
