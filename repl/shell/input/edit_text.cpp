#include "repl/shell/input/edit_text.h"

#include <algorithm>
#include <cwchar>
#include <cwctype>
#include <vector>

namespace cudash::shell {
namespace {

constexpr std::size_t tab_width = 8;  ///< of terminals

bool is_word(wchar_t c) {
    return std::iswalnum(static_cast<std::wint_t>(c)) || c == L'_';
}

std::size_t indentation_at(std::wstring_view text, std::size_t at) {
    const std::size_t begin = line_begin(text, at);
    std::size_t columns = 0;
    for (std::size_t i = begin; i < text.size() && (text[i] == L' ' || text[i] == L'\t'); ++i)
        columns += text[i] == L'\t' ? indent_width : 1;
    return columns;
}

/// The brackets of `text` that are open, outside strings and comments: where they stand.
std::vector<std::size_t> open_brackets(std::wstring_view text) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const wchar_t c = text[i];
        if (c == L'"' || c == L'\'') {
            // An apostrophe after a digit separates digits.
            if (c == L'\'' && i > 0 && std::iswxdigit(static_cast<std::wint_t>(text[i - 1]))) continue;
            for (++i; i < text.size() && text[i] != c && text[i] != L'\n'; ++i)
                if (text[i] == L'\\') ++i;
        } else if (c == L'/' && i + 1 < text.size() && text[i + 1] == L'/') {
            i = line_end(text, i);
        } else if (c == L'/' && i + 1 < text.size() && text[i + 1] == L'*') {
            i = std::min(text.find(L"*/", i + 2), text.size());
        } else if (c == L'{' || c == L'(' || c == L'[') {
            open.push_back(i);
        } else if ((c == L'}' || c == L')' || c == L']') && !open.empty()) {
            open.pop_back();
        }
    }
    return open;
}

}  // namespace

std::size_t line_begin(std::wstring_view text, std::size_t at) {
    if (at == 0) return 0;
    const std::size_t before = text.rfind(L'\n', at - 1);
    return before == std::wstring_view::npos ? 0 : before + 1;
}

std::size_t line_end(std::wstring_view text, std::size_t at) {
    return std::min(text.find(L'\n', at), text.size());
}

std::optional<std::size_t> line_up(std::wstring_view text, std::size_t at) {
    const std::size_t begin = line_begin(text, at);
    if (begin == 0) return std::nullopt;
    const std::size_t above = line_begin(text, begin - 1);
    return std::min(above + (at - begin), begin - 1);
}

std::optional<std::size_t> line_down(std::wstring_view text, std::size_t at) {
    const std::size_t end = line_end(text, at);
    if (end == text.size()) return std::nullopt;
    return std::min(end + 1 + (at - line_begin(text, at)), line_end(text, end + 1));
}

std::size_t word_begin(std::wstring_view text, std::size_t at) {
    while (at > 0 && !is_word(text[at - 1])) --at;
    while (at > 0 && is_word(text[at - 1])) --at;
    return at;
}

std::size_t word_end(std::wstring_view text, std::size_t at) {
    while (at < text.size() && !is_word(text[at])) ++at;
    while (at < text.size() && is_word(text[at])) ++at;
    return at;
}

bool is_in_indentation(std::wstring_view text, std::size_t at) {
    const std::size_t begin = line_begin(text, at);
    return text.substr(begin, at - begin).find_first_not_of(L" \t") == std::wstring_view::npos;
}

std::size_t indentation_after(std::wstring_view before) {
    // A line of white space says nothing.
    while (!before.empty() && is_in_indentation(before, before.size()) && line_begin(before, before.size()) > 0)
        before = before.substr(0, line_begin(before, before.size()) - 1);
    const auto open = open_brackets(before);
    const std::size_t begin = line_begin(before, before.size());
    if (!open.empty() && open.back() >= begin) return indentation_at(before, before.size()) + indent_width;
    // A line that closes what an earlier one opened goes on as that one did.
    if (open.size() < open_brackets(before.substr(0, begin)).size())
        return open.empty() ? 0 : indentation_at(before, open.back()) + indent_width;
    return indentation_at(before, before.size());
}

std::optional<std::size_t> closing_indentation(std::wstring_view before) {
    const auto open = open_brackets(before);
    if (open.empty() || before[open.back()] != L'{') return std::nullopt;
    return indentation_at(before, open.back());
}

Place place_after(std::wstring_view text, std::size_t width, Place at) {
    const auto put = [&](std::size_t columns) {
        if (at.column + columns > width) at = {at.row + 1, 0};
        at.column += columns;
        if (at.column >= width) at = {at.row + 1, 0};
    };
    for (const wchar_t c : text) {
        if (c == L'\n') {
            at = {at.row + 1, 0};
        } else if (c == L'\t') {
            do put(1);
            while (at.column % tab_width != 0);
        } else if (const int columns = wcwidth(c); columns > 0) {
            put(static_cast<std::size_t>(columns));
        }
    }
    return at;
}

}  // namespace cudash::shell
