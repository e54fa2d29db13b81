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
    while (width > 0 && total() > width) {
        auto widest = std::max_element(widths.begin(), widths.end());
        if (*widest <= narrowest) break;
        --*widest;
    }
    const auto line = [&](const std::vector<std::string>& cells, bool heading) {
        std::string text;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const std::string cell = cut(i < cells.size() ? cells[i] : std::string(), widths[i]);
            text += heading ? style.bold(cell) : cell;
            if (i + 1 < widths.size()) text.append(widths[i] - columns_of(cell) + gap, ' ');
        }
        while (text.ends_with(' ')) text.pop_back();
        return text + "\n";
    };
    std::string text = line(table.columns, true);
    for (const auto& row : table.rows) text += line(row, false);
    return text;
}

}  // namespace cudash::view
