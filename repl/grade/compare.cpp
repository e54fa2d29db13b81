#include "repl/grade/compare.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace cudash::grade {
namespace {

constexpr std::string_view any_lines = "...", any_text = "[..]";

enum class Step : std::uint8_t { keep, elide, remove, add };

struct Edit {
    Step step;
    std::size_t line;  ///< of `expected` for keep, elide and remove; of `actual` for add
    std::size_t actual;
};

/// The cheapest way from `expected` to `actual`; lines that an elision stands for cost nothing.
std::vector<Edit> align(const Lines& expected, const Lines& actual) {
    // Equal ends are cut off first: the table is quadratic, and outputs differ in few places.
    std::size_t head = 0;
    while (head < expected.size() && head < actual.size() && expected[head] != any_lines &&
           matches_line(expected[head], actual[head]))
        ++head;
    std::size_t tail = 0;
    while (tail < expected.size() - head && tail < actual.size() - head &&
           expected[expected.size() - 1 - tail] != any_lines &&
           matches_line(expected[expected.size() - 1 - tail], actual[actual.size() - 1 - tail]))
        ++tail;
    const std::size_t rows = expected.size() - head - tail, columns = actual.size() - head - tail;

    std::vector<Edit> edits;
    for (std::size_t i = 0; i < head; ++i) edits.push_back({Step::keep, i, i});
    constexpr std::size_t too_large = 20'000'000;
    if (rows > 0 && columns > too_large / rows) {
        for (std::size_t i = 0; i < rows; ++i) edits.push_back({Step::remove, head + i, head});
        for (std::size_t j = 0; j < columns; ++j) edits.push_back({Step::add, head + j, head + j});
    } else {
        // cost[i][j]: from expected[i..] to actual[j..].
        const std::size_t width = columns + 1;
        std::vector<std::uint32_t> cost((rows + 1) * width, 0);
        const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return cost[i * width + j]; };
        const auto is_elision = [&](std::size_t i) { return expected[head + i] == any_lines; };
        const auto match = [&](std::size_t i, std::size_t j) {
            return !is_elision(i) && matches_line(expected[head + i], actual[head + j]);
        };
        for (std::size_t i = rows + 1; i-- > 0;) {
            for (std::size_t j = width; j-- > 0;) {
                if (i == rows && j == columns) continue;
                std::uint32_t best = std::numeric_limits<std::uint32_t>::max();
                if (i < rows && is_elision(i))
                    best = std::min(best, j < columns ? std::min(at(i, j + 1), at(i + 1, j)) : at(i + 1, j));
                if (i < rows && j < columns && match(i, j)) best = std::min(best, at(i + 1, j + 1));
                if (i < rows && !is_elision(i)) best = std::min(best, at(i + 1, j) + 1);
                if (j < columns) best = std::min(best, at(i, j + 1) + 1);
                at(i, j) = best;
            }
        }
        std::size_t i = 0, j = 0;
        bool in_elision = false;
        while (i < rows || j < columns) {
            if (i < rows && is_elision(i)) {
                if (!in_elision) edits.push_back({Step::elide, head + i, head + j});
                in_elision = j < columns && at(i, j) == at(i, j + 1) && at(i, j) != at(i + 1, j);
                if (in_elision) {
                    ++j;
                } else {
                    ++i;
                }
            } else if (i < rows && j < columns && match(i, j) && at(i, j) == at(i + 1, j + 1)) {
                edits.push_back({Step::keep, head + i++, head + j++});
            } else if (i < rows && at(i, j) == at(i + 1, j) + 1) {
                edits.push_back({Step::remove, head + i++, head + j});
            } else {
                edits.push_back({Step::add, head + j, head + j});
                ++j;
            }
        }
    }
    for (std::size_t i = 0; i < tail; ++i)
        edits.push_back({Step::keep, expected.size() - tail + i, actual.size() - tail + i});
    return edits;
}

/// An actual line as a pattern that matches it alone.
std::string literal(const std::string& line) {
    const bool special = line == any_lines || line.starts_with('\\') || line.starts_with(">>") ||
                         line.starts_with("..") || line.starts_with("```") || line.starts_with("~~~");
    return special ? "\\" + line : line;
}

}  // namespace

Lines split_lines(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        const std::size_t newline = text.find('\n');
        std::string_view line = text.substr(0, newline);
        text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
        while (line.ends_with('\r')) line.remove_suffix(1);
        lines.emplace_back(line);
    }
    return lines;
}

void drop_trailing_blanks(Lines& lines) {
    while (!lines.empty() && lines.back().find_first_not_of(" \t") == std::string::npos) lines.pop_back();
}

Lines printed_lines(std::string_view text) {
    Lines lines = split_lines(text);
    drop_trailing_blanks(lines);
    return lines;
}

bool matches_line(std::string_view pattern, std::string_view actual) {
    if (pattern.starts_with('\\')) return pattern.substr(1) == actual;
    std::size_t hole = pattern.find(any_text);
    if (hole == std::string_view::npos) return pattern == actual;
    if (!actual.starts_with(pattern.substr(0, hole))) return false;
    actual.remove_prefix(hole);
    pattern.remove_prefix(hole + any_text.size());
    while ((hole = pattern.find(any_text)) != std::string_view::npos) {
        const std::string_view part = pattern.substr(0, hole);
        const std::size_t found = actual.find(part);
        if (found == std::string_view::npos) return false;
        actual.remove_prefix(found + part.size());
        pattern.remove_prefix(hole + any_text.size());
    }
    return actual.ends_with(pattern);
}

bool matches(const Lines& expected, const Lines& actual) {
    // Row by row, from the end: whether expected[i..] stands for actual[j..]. A table of both would be too large for
    // what a stranger's program may print.
    std::vector<bool> below(actual.size() + 1, false), row(actual.size() + 1);
    below.back() = true;
    for (std::size_t i = expected.size(); i-- > 0;) {
        const bool is_elision = expected[i] == any_lines;
        for (std::size_t j = actual.size() + 1; j-- > 0;) {
            const bool has_line = j < actual.size();
            row[j] = is_elision ? below[j] || (has_line && row[j + 1])
                                : has_line && below[j + 1] && matches_line(expected[i], actual[j]);
        }
        below.swap(row);
    }
    return below.front();
}

std::string diff(const Lines& expected, const Lines& actual) {
    std::string text;
    for (const Edit& edit : align(expected, actual)) {
        switch (edit.step) {
            case Step::keep:
            case Step::elide:
                text += " " + expected[edit.line] + "\n";
                break;
            case Step::remove:
                text += "-" + expected[edit.line] + "\n";
                break;
            case Step::add:
                text += "+" + actual[edit.line] + "\n";
                break;
        }
    }
    return text;
}

Lines merge(const Lines& expected, const Lines& actual) {
    Lines lines;
    for (const Edit& edit : align(expected, actual)) {
        if (edit.step == Step::add) lines.push_back(literal(actual[edit.line]));
        if (edit.step == Step::keep || edit.step == Step::elide) lines.push_back(expected[edit.line]);
    }
    return lines;
}

}  // namespace cudash::grade
