// Splits PTX text into tokens (PTX ISA 4.1 to 4.5). Tokens are views into the text, which must outlive them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cudash::ptx {

struct Token {
    enum class Kind : std::uint8_t {
        word,         ///< identifier or mnemonic: "add", "%r1", "$L__BB0_2", "_"
        dotted,       ///< ".global", ".L2::cache_hint": text holds the dot
        number,       ///< "12", "0x1F", "0f3F800000", "1.5", "7U"
        string,       ///< text is without the quotes
        punctuation,  ///< one character
        end,
        stray  ///< a character that PTX has no use for, or a string or comment that never ends
    };
    Kind kind = Kind::end;
    std::string_view text;
    unsigned line = 1;

    bool is(char c) const { return kind == Kind::punctuation && text[0] == c; }
    bool is_dotted(std::string_view name) const { return kind == Kind::dotted && text.substr(1) == name; }
};

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}
    Token next();

private:
    char at(std::size_t ahead) const { return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0'; }
    /// False when a comment never ends.
    bool skip_space_and_comments();
    Token make(Token::Kind kind, std::size_t length);
    std::size_t word_length(std::size_t start) const;
    std::size_t number_length() const;

    std::string_view text_;
    std::size_t position_ = 0;
    unsigned line_ = 1;
};

/// A value of a number token: an integer, or the bits of a real.
struct Number {
    bool is_real = false;
    bool single = false;     ///< a real written 0f...
    std::uint64_t bits = 0;  ///< the integer, or the bits of the f32 or f64
};
/// nullopt if the text is not a constant of PTX, or does not fit 64 bits.
std::optional<Number> parse_number(std::string_view text);

}  // namespace cudash::ptx
