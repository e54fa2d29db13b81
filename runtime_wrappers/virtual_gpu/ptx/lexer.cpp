#include "runtime_wrappers/virtual_gpu/ptx/lexer.h"

#include <array>
#include <bit>
#include <charconv>

namespace cudash::ptx {
namespace {

enum CharacterClass : std::uint8_t { none = 0, space = 1, word_start = 2, word_part = 4, digit = 8, mark = 16 };

// identifier: [a-zA-Z]{[a-zA-Z0-9_$]}* | {_,$,%}{[a-zA-Z0-9_$]}+  (PTX ISA 4.4)
constexpr std::array<std::uint8_t, 256> make_classes() {
    std::array<std::uint8_t, 256> table{};
    for (int c = 'a'; c <= 'z'; ++c) table[c] = word_start | word_part;
    for (int c = 'A'; c <= 'Z'; ++c) table[c] = word_start | word_part;
    for (int c = '0'; c <= '9'; ++c) table[c] = digit | word_part;
    table['_'] = table['$'] = word_start | word_part;
    table['%'] = word_start;
    for (char c : {' ', '\t', '\r', '\n', '\f', '\v'}) table[static_cast<unsigned char>(c)] = space;
    for (char c : std::string_view("{}()[]<>,;:@!|+-=~*&^?/")) table[static_cast<unsigned char>(c)] = mark;
    return table;
}
constexpr std::array<std::uint8_t, 256> classes = make_classes();

bool has(char c, std::uint8_t wanted) {
    return (classes[static_cast<unsigned char>(c)] & wanted) != 0;
}

/// `digits` in `base`, all of them; nullopt if one is not a digit or the value needs more than 64 bits.
std::optional<std::uint64_t> parse_digits(std::string_view digits, int base) {
    std::uint64_t value = 0;
    const char* last = digits.data() + digits.size();
    const auto [end, status] = std::from_chars(digits.data(), last, value, base);
    if (status != std::errc() || end != last) return std::nullopt;
    return value;
}

}  // namespace

Token Lexer::make(Token::Kind kind, std::size_t length) {
    const Token token{kind, text_.substr(position_, length), line_};
    position_ += token.text.size();
    return token;
}

bool Lexer::skip_space_and_comments() {
    while (position_ < text_.size()) {
        const char c = text_[position_];
        if (has(c, space)) {
            if (c == '\n') ++line_;
            ++position_;
        } else if (c == '/' && at(1) == '/') {
            position_ = std::min(text_.find('\n', position_), text_.size());
        } else if (c == '/' && at(1) == '*') {
            const std::size_t close = text_.find("*/", position_ + 2);
            if (close == std::string_view::npos) return false;
            for (; position_ < close; ++position_) line_ += text_[position_] == '\n';
            position_ += 2;
        } else {
            break;
        }
    }
    return true;
}

std::size_t Lexer::word_length(std::size_t start) const {
    std::size_t length = start;
    while (has(at(length), word_part)) ++length;
    return length;
}

std::size_t Lexer::number_length() const {
    std::size_t length = word_length(0);
    if (at(length) != '.' || !has(at(length + 1), digit)) return length;
    length = word_length(length + 1);
    // The exponent's sign, in 1.5e-3.
    const char last = at(length - 1);
    if ((last == 'e' || last == 'E') && (at(length) == '-' || at(length) == '+')) length = word_length(length + 1);
    return length;
}

Token Lexer::next() {
    if (!skip_space_and_comments()) return make(Token::Kind::stray, 2);
    if (position_ >= text_.size()) return {Token::Kind::end, {}, line_};
    const char c = text_[position_];
    if (has(c, word_start)) return make(Token::Kind::word, word_length(1));
    if (has(c, digit)) return make(Token::Kind::number, number_length());
    if (c == '.' && has(at(1), word_part)) {
        std::size_t length = word_length(1);
        while (at(length) == ':' && at(length + 1) == ':' && has(at(length + 2), word_part)) {
            length = word_length(length + 2);
        }
        return make(Token::Kind::dotted, length);
    }
    if (c == '"') {
        const std::size_t close = text_.find_first_of("\"\n", position_ + 1);
        if (close == std::string_view::npos || text_[close] == '\n') return make(Token::Kind::stray, 1);
        ++position_;
        const Token token = make(Token::Kind::string, close - position_);
        ++position_;
        return token;
    }
    return make(has(c, mark) ? Token::Kind::punctuation : Token::Kind::stray, 1);
}

// Integer constants: 0x hexadecimal, 0 octal, 0b binary, else decimal, each with an optional U (PTX ISA 4.5.1).
// Floating-point constants: 0f and 8 hexadecimal digits, 0d and 16, or decimal with a point (PTX ISA 4.5.2).
std::optional<Number> parse_number(std::string_view text) {
    Number number;
    if (text.find('.') != std::string_view::npos) {
        double value = 0;
        const char* last = text.data() + text.size();
        const auto [end, status] = std::from_chars(text.data(), last, value);
        if (status != std::errc() || end != last) return std::nullopt;
        return Number{true, false, std::bit_cast<std::uint64_t>(value)};
    }
    const char form = text.size() > 1 && text[0] == '0' ? static_cast<char>(text[1] | 0x20) : '\0';
    std::optional<std::uint64_t> value;
    if ((form == 'f' && text.size() == 10) || (form == 'd' && text.size() == 18)) {
        value = parse_digits(text.substr(2), 16);
        number.is_real = true;
        number.single = form == 'f';
    } else {
        if (text.back() == 'U') text.remove_suffix(1);
        if (form == 'x' || form == 'b') {
            value = parse_digits(text.substr(std::min<std::size_t>(2, text.size())), form == 'x' ? 16 : 2);
        } else {
            value = parse_digits(text, text.size() > 1 && text[0] == '0' ? 8 : 10);
        }
    }
    if (!value) return std::nullopt;
    number.bits = *value;
    return number;
}

}  // namespace cudash::ptx
