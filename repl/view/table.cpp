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

constexpr std::size_t narrowest = 7;  ///< no column becomes narrower

std::size_t longest_word(std::string_view text) {
    std::size_t longest = 0;
    for (const auto& word : std::views::split(text, ' '))
        longest = std::max(longest, columns_of(std::string_view(word.begin(), word.end())));
    return longest;
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

    // The widest column gives way first: at first between words, then inside them too. The first column names the row
    // and gives way last.
    std::size_t gap = 2;
    const auto fits = [&] {
        return width == 0 || std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1)) <= width;
    };
    const auto shrink = [&](std::size_t first, const auto& least) {
        while (!fits()) {
            std::size_t widest = widths.size();
            for (std::size_t i = first; i < widths.size(); ++i)
                if (widths[i] > least(i) && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
            if (widest == widths.size()) return;
            --widths[widest];
        }
    };
    shrink(1, [&](std::size_t i) { return std::max(words[i], narrowest); });
    if (!fits()) gap = 1;
    shrink(1, [](std::size_t) { return narrowest; });
    shrink(0, [](std::size_t) { return narrowest; });
    const auto line = [&](const std::vector<std::string>& cells, bool heading) {
        std::vector<std::vector<std::string>> wrapped;
        std::size_t height = 1;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const std::string_view cell = i < cells.size() ? std::string_view(cells[i]) : std::string_view();
            const std::string indent(std::min(cell.find_first_not_of(' '), cell.size()), ' ');
            wrapped.push_back(wrap(cell, widths[i], 0, indent, LongWords::broken));
            height = std::max(height, wrapped.back().size());
        }
        std::string text;
        for (std::size_t row = 0; row < height; ++row) {
            for (std::size_t i = 0; i < widths.size(); ++i) {
                const std::string piece = row < wrapped[i].size() ? wrapped[i][row] : std::string();
                text += heading ? style.bold(piece) : piece;
                if (i + 1 < widths.size()) text.append(widths[i] - std::min(widths[i], columns_of(piece)) + gap, ' ');
            }
            while (text.ends_with(' ')) text.pop_back();
            text += '\n';
        }
        return text;
    };
    std::string text = line(table.columns, true);
    for (const auto& row : table.rows) text += line(row, false);
    return text;
}

}  // namespace cudash::view
