#include "repl/grade/tokens.h"

#include <algorithm>
#include <cctype>

namespace cudash::grade {
namespace {

bool is_word_start(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0;
}
bool is_word(char c) {
    return is_word_start(c) || std::isdigit(static_cast<unsigned char>(c));
}

/// The longest first. All others are one character.
constexpr std::string_view long_signs[] = {"<<<", ">>>", "<<=", ">>=", "...", "->*", "::", "->", "++",
                                           "--",  "<<",  ">>",  "<=",  ">=",  "==",  "!=", "&&", "||",
                                           "+=",  "-=",  "*=",  "/=",  "%=",  "&=",  "|=", "^="};

std::size_t sign_length(std::string_view rest) {
    for (const std::string_view each : long_signs)
        if (rest.starts_with(each)) return each.size();
    return 1;
}

/// A literal in quotes, up to the line's end if it is not closed.
std::size_t quoted_length(std::string_view rest) {
    std::size_t at = 1;
    while (at < rest.size() && rest[at] != rest[0] && rest[at] != '\n') at += rest[at] == '\\' ? 2 : 1;
    return std::min(at + 1, rest.size());
}

/// R"(...)": 0: it is none.
std::size_t raw_length(std::string_view rest) {
    if (!rest.starts_with("R\"")) return 0;
    const std::size_t open = rest.find('(');
    if (open == std::string_view::npos) return 0;
    const std::string close = ")" + std::string(rest.substr(2, open - 2)) + "\"";
    const std::size_t end = rest.find(close, open);
    return end == std::string_view::npos ? rest.size() : end + close.size();
}

std::size_t number_length(std::string_view rest) {
    std::size_t at = 1;
    const auto goes_on = [&] {
        const char c = rest[at], before = rest[at - 1];
        return is_word(c) || c == '.' || (c == '\'' && at + 1 < rest.size() && is_word(rest[at + 1])) ||
               ((c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P') &&
                !rest.starts_with("0x"));
    };
    while (at < rest.size() && goes_on()) ++at;
    return at;
}

/// The name in `#include <name>` at the beginning of `rest`; empty: that is none.
std::string_view header_in(std::string_view rest) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    std::size_t at = std::min(line.find_first_not_of(" \t", 1), line.size());
    if (!line.substr(at).starts_with("include")) return {};
    at = line.find_first_of("<\"", at);
    if (at == std::string_view::npos) return {};
    const std::size_t end = line.find(line[at] == '<' ? '>' : '"', at + 1);
    return end == std::string_view::npos ? std::string_view() : line.substr(at + 1, end - at - 1);
}

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
    std::vector<Token> tokens;
    unsigned line = 1;
    const auto take = [&](std::size_t count) {
        const std::string_view taken = text.substr(0, count);
        line += static_cast<unsigned>(std::ranges::count(taken, '\n'));
        text.remove_prefix(taken.size());
        return taken;
    };
    while (!text.empty()) {
        const char c = text.front();
        if (std::isspace(static_cast<unsigned char>(c)) || text.starts_with("\\\n")) {
            take(1);
        } else if (text.starts_with("//")) {
            take(text.find('\n'));
        } else if (text.starts_with("/*")) {
            const std::size_t end = text.find("*/", 2);
            take(end == std::string_view::npos ? text.size() : end + 2);
        } else if (const std::size_t raw = raw_length(text)) {
            const unsigned begin = line;
            tokens.push_back({Token::Kind::text, take(raw), begin});
        } else if (c == '"' || c == '\'') {
            tokens.push_back({Token::Kind::text, text.substr(0, quoted_length(text)), line});
            take(quoted_length(text));
        } else if (const std::string_view header = c == '#' ? header_in(text) : std::string_view(); !header.empty()) {
            tokens.push_back({Token::Kind::include, header, line});
            take(text.find('\n'));
        } else if (is_word_start(c)) {
            std::size_t end = 1;
            while (end < text.size() && is_word(text[end])) ++end;
            tokens.push_back({Token::Kind::word, take(end), line});
        } else if (std::isdigit(static_cast<unsigned char>(c)) ||
                   (c == '.' && text.size() > 1 && std::isdigit(static_cast<unsigned char>(text[1])))) {
            tokens.push_back({Token::Kind::number, take(number_length(text)), line});
        } else {
            tokens.push_back({Token::Kind::sign, take(sign_length(text)), line});
        }
    }
    return tokens;
}

}  // namespace cudash::grade
