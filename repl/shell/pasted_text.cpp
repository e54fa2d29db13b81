#include "repl/shell/pasted_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "repl/shell/split_input.h"

namespace cudash::shell {
namespace {

// Prompts.

constexpr std::array<std::string_view, 5> fixed_prompts = {">>> ", ">> ", "$ ", "clang-repl> ", "[cling]$ "};
constexpr std::array<std::string_view, 4> continuations = {"...> ", "... ", ".. ", "clang-repl... "};

/// Bytes of the number at the start.
std::size_t number_length(std::string_view text) {
    return std::min(text.find_first_not_of("0123456789"), text.size());
}

/// `cudash [virtual h200] 3> `
std::size_t own_prompt_length(std::string_view line) {
    constexpr std::string_view begin = "cudash [";
    if (!line.starts_with(begin)) return 0;
    std::size_t at = line.find(']');
    if (at == std::string_view::npos) return 0;
    ++at;
    if (at < line.size() && line[at] == ' ') at += 1 + number_length(line.substr(at + 1));
    if (at >= line.size() || line[at] != '>') return 0;
    ++at;
    return at < line.size() && line[at] == ' ' ? at + 1 : at;
}

/// `In [3]: `
std::size_t ipython_prompt_length(std::string_view line) {
    if (!line.starts_with("In [")) return 0;
    const std::size_t at = 4 + number_length(line.substr(4));
    return line.substr(at).starts_with("]: ") ? at + 3 : 0;
}

std::size_t prompt_length(std::string_view line) {
    for (const std::string_view prompt : fixed_prompts)
        if (line.starts_with(prompt) || line == prompt.substr(0, prompt.size() - 1)) return prompt.size();
    return std::max(own_prompt_length(line), ipython_prompt_length(line));
}

std::size_t continuation_length(std::string_view line) {
    for (const std::string_view prompt : continuations)
        if (line.starts_with(prompt) || line == prompt.substr(0, prompt.size() - 1)) return prompt.size();
    // IPython's is as wide as its prompt: `   ...: `.
    const std::size_t dots = line.find_first_not_of(' ');
    constexpr std::string_view indented = "...: ";
    if (dots != std::string_view::npos && dots >= 3 && line.substr(dots).starts_with(indented))
        return dots + indented.size();
    return 0;
}

bool is_open(std::string_view cell) {
    const auto pieces = split_input(cell);
    return !pieces.empty() && !pieces.back().whole;
}

std::string without_prompts(std::string_view text, std::vector<std::string>& notes) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || prompt_length(text.substr(first, text.find('\n', first) - first)) == 0)
        return std::string(text);
    std::string plain;
    std::size_t cell = 0;  // where the last one begins in `plain`
    std::size_t prompts = 0, output = 0;
    for (std::size_t at = first; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string_view line = text.substr(at, end - at);
        const std::string_view shown = line.substr(0, line.find_last_not_of("\r\n") + 1);
        at = end;
        if (const std::size_t length = prompt_length(shown)) {
            cell = plain.size();
            ++prompts;
            plain += line.substr(std::min(length, shown.size()));
        } else if (const std::size_t dots = continuation_length(shown)) {
            plain += line.substr(std::min(dots, shown.size()));
        } else if (is_open(std::string_view(plain).substr(cell)) || shown.starts_with("else") ||
                   shown.starts_with("catch")) {
            plain += line;
        } else if (!shown.empty()) {
            ++output;
        }
    }
    std::string note = fmt::format("left out {}", prompts == 1 ? "the prompt" : fmt::format("{} prompts", prompts));
    if (output > 0) note += fmt::format(" and {} {} of output", output, output == 1 ? "line" : "lines");
    notes.push_back(std::move(note));
    return plain;
}

// Typography.

struct Look {
    char32_t first, last;
    std::string_view plain, name;
};
constexpr std::string_view quotes = "curly quotes", dashes = "dashes", spaces = "special spaces",
                           ligatures = "ligatures", signs = "signs", unseen = "characters that can't be seen",
                           directions = "characters that change the direction of text";
constexpr std::array table = {
    Look{0x201c, 0x201f, "\"", quotes},     Look{0x2018, 0x201b, "'", quotes},
    Look{0x2010, 0x2015, "-", dashes},      Look{0x2212, 0x2212, "-", dashes},
    Look{0x00a0, 0x00a0, " ", spaces},      Look{0x2000, 0x200a, " ", spaces},
    Look{0x202f, 0x202f, " ", spaces},      Look{0x205f, 0x205f, " ", spaces},
    Look{0x3000, 0x3000, " ", spaces},      Look{0xfb00, 0xfb00, "ff", ligatures},
    Look{0xfb01, 0xfb01, "fi", ligatures},  Look{0xfb02, 0xfb02, "fl", ligatures},
    Look{0xfb03, 0xfb03, "ffi", ligatures}, Look{0xfb04, 0xfb04, "ffl", ligatures},
    Look{0x2026, 0x2026, "...", signs},     Look{0x2192, 0x2192, "->", signs},
    Look{0x2260, 0x2260, "!=", signs},      Look{0x2264, 0x2264, "<=", signs},
    Look{0x2265, 0x2265, ">=", signs},      Look{0x00ad, 0x00ad, "", unseen},
    Look{0x200b, 0x200d, "", unseen},       Look{0x2060, 0x2060, "", unseen},
    Look{0xfeff, 0xfeff, "", unseen},       Look{0x200e, 0x200f, "", directions},
    Look{0x202a, 0x202e, "", directions},   Look{0x2066, 0x2069, "", directions},
    Look{0x061c, 0x061c, "", directions},
};

/// The character at the start of well-formed UTF-8; its bytes in `length`.
char32_t character(std::string_view text, std::size_t& length) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
    const unsigned char first = byte(0);
    length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    if (length == 1) return first;
    char32_t value = first & (0x7fu >> length);
    for (std::size_t i = 1; i < length; ++i) value = value << 6 | (byte(i) & 0x3fu);
    length = std::min(length, text.size());
    return value;
}

const Look* look_of(char32_t c) {
    if (c < 0x80) return nullptr;
    const auto* row =
        std::find_if(table.begin(), table.end(), [&](const Look& r) { return c >= r.first && c <= r.last; });
    return row == table.end() ? nullptr : row;
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

class Typography {
public:
    explicit Typography(std::string_view text) : text_(text) {}

    std::string plain() {
        while (at_ < text_.size()) {
            if (in_ == In::code && starts("//")) in_ = In::line_comment;
            if (in_ == In::code && starts("/*")) in_ = In::comment;
            if (in_ == In::code && starts("R\"")) {
                take_raw_string();
                continue;
            }
            std::size_t length = 0;
            const char32_t c = character(text_.substr(at_), length);
            if (const Look* row = look_of(c))
                take(*row, length);
            else
                take(length);
        }
        return std::move(plain_);
    }
    /// In the order of the table.
    std::vector<std::string_view> found() const {
        std::vector<std::string_view> names;
        for (const Look& row : table)
            if (std::ranges::find(found_, row.name) != found_.end() &&
                std::ranges::find(names, row.name) == names.end())
                names.push_back(row.name);
        return names;
    }

private:
    enum class In { code, line_comment, comment, string, character };

    bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }
    /// An ordinary character, and what it changes.
    void take(std::size_t length) {
        const char c = text_[at_];
        if (in_ == In::line_comment || in_ == In::string || in_ == In::character) {
            if (c == '\n') in_ = In::code;
            if (c == '\\' && at_ + 1 < text_.size()) length = 2;
            if ((in_ == In::string && c == '"') || (in_ == In::character && c == '\'')) in_ = In::code;
        } else if (in_ == In::comment) {
            if (starts("*/")) {
                length = 2;
                in_ = In::code;
            }
        } else if (c == '"' || (c == '\'' && (plain_.empty() || !is_word(plain_.back())))) {
            in_ = c == '"' ? In::string : In::character;
        }
        if (in_ == In::code) curly_ = false;
        plain_ += text_.substr(at_, length);
        at_ += length;
    }
    void take(const Look& row, std::size_t length) {
        const bool is_quote = row.name == quotes;
        const In quoted = row.plain == "\"" ? In::string : In::character;
        const bool closes = is_quote && curly_ && in_ == quoted;
        const bool in_comment = in_ == In::comment || in_ == In::line_comment;
        if (in_ != In::code && !closes && !(in_comment && row.name == directions)) {
            plain_ += text_.substr(at_, length);
            at_ += length;
            return;
        }
        if (is_quote) {
            in_ = closes ? In::code : quoted;
            curly_ = !closes;
        }
        at_ += length;
        plain_ += row.name == dashes && is_decrement() ? "--" : row.plain;
        found_.push_back(row.name);
    }
    /// A PDF's `i–)` was `i--)`.
    bool is_decrement() const {
        const char next = at_ < text_.size() ? text_[at_] : '\n';
        return !plain_.empty() && (is_word(plain_.back()) || plain_.back() == ']') &&
               std::string_view(";),]\n").find(next) != std::string_view::npos;
    }
    void take_raw_string() {
        const std::size_t open = text_.find('(', at_);
        std::size_t end = text_.size();
        if (open != std::string_view::npos) {
            const std::string close = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
            const std::size_t found = text_.find(close, open);
            if (found != std::string_view::npos) end = found + close.size();
        }
        plain_ += text_.substr(at_, end - at_);
        at_ = end;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    In in_ = In::code;
    bool curly_ = false;  ///< the string was opened by a curly quote
    std::string plain_;
    std::vector<std::string_view> found_;
};

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; });
}

}  // namespace

PlainText plain_text(std::string_view text) {
    PlainText result;
    result.text = without_prompts(text, result.notes);
    if (is_ascii(result.text)) return result;
    Typography typography(result.text);
    std::string plain = typography.plain();
    std::vector<std::string_view> read, removed;
    for (const std::string_view name : typography.found())
        (name == unseen || name == directions ? removed : read).push_back(name);
    if (!read.empty()) result.notes.push_back(fmt::format("replaced {} with plain ones", fmt::join(read, ", ")));
    if (!removed.empty()) result.notes.push_back(fmt::format("removed {}", fmt::join(removed, " and ")));
    result.text = std::move(plain);
    return result;
}

}  // namespace cudash::shell
