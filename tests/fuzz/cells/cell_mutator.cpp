#include "tests/fuzz/cells/cell_mutator.h"

#include <algorithm>
#include <cctype>

namespace cudash::fuzz {
namespace {

struct Token {
    std::size_t begin, end;
};

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::size_t end_of_literal(std::string_view text, std::size_t begin) {
    for (std::size_t i = begin + 1; i < text.size() && text[i] != '\n'; ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == text[begin]) {
            return i + 1;
        }
    }
    return begin + 1;
}

std::vector<Token> tokens_of(std::string_view text) {
    std::vector<Token> tokens;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t begin = i;
        if (std::isspace(static_cast<unsigned char>(text[i]))) {
            ++i;
            continue;
        }
        if (is_word(text[i])) {
            while (i < text.size() && is_word(text[i])) ++i;
        } else if (text[i] == '"' || text[i] == '\'') {
            i = end_of_literal(text, i);
        } else if (text.substr(i).starts_with("<<<") || text.substr(i).starts_with(">>>")) {
            i += 3;
        } else {
            ++i;
        }
        tokens.push_back({begin, i});
    }
    return tokens;
}

constexpr std::string_view inserted[] = {"(",           ")",          "{",
                                         "}",           "[",          "]",
                                         ";",           "*",          "&",
                                         "<",           ">",          ",",
                                         ":",           "::",         "=",
                                         "-1",          "0",          "\"",
                                         "'",           "#",          "\\",
                                         "...",         "if",         "for",
                                         "while",       "do",         "else",
                                         "case",        "switch",     "return",
                                         "try",         "catch",      "goto",
                                         "struct",      "class",      "enum",
                                         "union",       "namespace",  "using",
                                         "auto",        "template<",  "int",
                                         "typedef",     "operator",   "static",
                                         "extern",      "const",      "new",
                                         "delete",      "this",       "[&]",
                                         "<<<",         ">>>",        "x:",
                                         "/*",          "//",         "#define",
                                         "#if 1",       "#else",      "#endif",
                                         "R\"(",        "{}",         "()",
                                         "[[",          "]]",         "requires",
                                         "friend",      "public:",    "concept",
                                         "asm",         "alignas(",   "throw",
                                         "sizeof",      "constexpr",  "void",
                                         "~",           "%",          "__global__",
                                         "__device__",  "__shared__", "__constant__",
                                         "__managed__", "__host__",   "__launch_bounds__("};

std::string slip(std::string_view text, std::string_view other, Random& random) {
    const std::vector<Token> tokens = tokens_of(text);
    if (tokens.empty()) return std::string(inserted[random.below(std::size(inserted))]);
    const std::size_t at = random.below(tokens.size());
    const auto [begin, end] = tokens[at];
    const std::string before(text.substr(0, begin)), token(text.substr(begin, end - begin)), after(text.substr(end));
    switch (random.below(8)) {
        case 0:
        case 1:
            return before + after;
        case 2:
            return before + token + " " + token + after;
        case 3: {
            if (at + 1 == tokens.size()) return before + after;
            const auto [next, last] = tokens[at + 1];
            return before + std::string(text.substr(next, last - next)) + std::string(text.substr(end, next - end)) +
                   token + std::string(text.substr(last));
        }
        case 4:
            return before + token;
        case 5:
            return before + std::string(inserted[random.below(std::size(inserted))]) + " " + token + after;
        case 6: {
            const std::vector<Token> lent = tokens_of(other);
            if (lent.empty()) return before + after;
            const Token& piece = lent[random.below(lent.size())];
            return before + std::string(other.substr(piece.begin, piece.end - piece.begin)) + after;
        }
        default: {
            const std::vector<Token> lent = tokens_of(other);
            if (lent.empty()) return before + token;
            const std::size_t first = random.below(lent.size());
            const std::size_t last = std::min(lent.size() - 1, first + random.below(12));
            return before + std::string(other.substr(lent[first].begin, lent[last].end - lent[first].begin)) + " " +
                   token + after;
        }
    }
}

}  // namespace

std::uint64_t Random::next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

std::string with_slips(std::string_view cell, std::string_view other, Random& random) {
    std::string text = slip(cell, other, random);
    while (random.below(4) == 0) text = slip(text, other, random);
    return text;
}

}  // namespace cudash::fuzz
