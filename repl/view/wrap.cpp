#include "repl/view/wrap.h"

#include <fmt/format.h>

#include <algorithm>

#include "repl/view/columns.h"
#include "repl/view/wrap_value.h"

namespace cudash::view {
namespace {

/// The longest beginning of `word` that takes at most `columns`, and at least one character.
std::size_t that_fits(std::string_view word, std::size_t columns) {
    const auto inside_character = [&](std::size_t at) {
        return at < word.size() && (static_cast<unsigned char>(word[at]) & 0xC0) == 0x80;
    };
    std::size_t end = 0;
    while (end < word.size()) {
        std::size_t next = end + 1;
        while (inside_character(next)) ++next;
        if (end > 0 && columns_of(word.substr(0, next)) > columns) break;
        end = next;
    }
    return end;
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t columns, std::size_t used, std::string_view indent,
                              LongWords long_words) {
    if (columns == 0 || used + columns_of(text) <= columns) return {std::string(text)};
    std::vector<std::string> lines(1);
    bool blank = true;  // the line has no word yet
    const auto next_line = [&] {
        lines.emplace_back(indent);
        used = columns_of(indent);
        blank = true;
    };
    while (!text.empty()) {
        const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
        const std::size_t end = std::min(text.find(' ', spaces), text.size());
        std::string_view word = text.substr(spaces, end - spaces);
        if (word.empty()) break;
        if (!blank && used + spaces + columns_of(word) > columns)
            next_line();
        else if (!blank || lines.size() == 1)
            lines.back().append(spaces, ' '), used += spaces;
        while (long_words == LongWords::broken && used + columns_of(word) > columns) {
            const std::size_t size = that_fits(word, columns > used ? columns - used : 0);
            lines.back() += word.substr(0, size);
            word.remove_prefix(size);
            if (word.empty()) break;
            next_line();
        }
        lines.back() += word;
        used += columns_of(word);
        blank = false;
        text.remove_prefix(end);
    }
    return lines;
}

std::string wrap_value(std::string_view text, std::size_t columns) {
    if (columns == 0 || columns_of(text) <= columns) return std::string(text);
    constexpr std::string_view indent = "  ";
    std::string result;
    std::size_t used = 0;
    while (!text.empty()) {
        char quote = 0;
        std::size_t end = 0;
        for (; end < text.size(); ++end) {
            const char c = text[end];
            if (quote != 0 && c == '\\')
                ++end;
            else if (quote != 0 && c == quote)
                quote = 0;
            else if (quote == 0 && (c == '"' || c == '\''))
                quote = c;
            else if (quote == 0 && c == ' ' && text[end - 1] == ',')
                break;
        }
        const std::string_view part = text.substr(0, std::min(end, text.size()));
        if (used > indent.size() && used + 1 + columns_of(part) > columns) {
            result += fmt::format("\n{}", indent);
            used = indent.size();
        } else if (!result.empty()) {
            result += ' ';
            ++used;
        }
        result += part;
        used += columns_of(part);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

std::string entry(std::string_view name, std::string_view text, std::size_t column, std::size_t columns) {
    const std::string indent(column + 2, ' ');
    std::string result = "  " + std::string(name);
    if (columns_of(name) < column)
        result.append(column - columns_of(name), ' ');
    else
        result += "\n" + indent;
    for (const std::string& line : wrap(text, columns, indent.size(), indent, LongWords::kept)) result += line + "\n";
    return result;
}

}  // namespace cudash::view
