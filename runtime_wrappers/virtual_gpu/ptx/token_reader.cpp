#include "runtime_wrappers/virtual_gpu/ptx/token_reader.h"

#include <fmt/format.h>

#include <limits>

namespace cudash::ptx {
namespace {

constexpr std::size_t longest_quoted = 40;  // of an unexpected token, in a message

std::string describe(const Token& token) {
    switch (token.kind) {
        case Token::Kind::end:
            return "the end of the text";
        case Token::Kind::stray:
            if (token.text == "/*") return "a comment that never ends";
            if (token.text == "\"") return "a string that never ends";
            return fmt::format("the stray byte 0x{:02x}", static_cast<unsigned char>(token.text[0]));
        case Token::Kind::string:
            return fmt::format("the string \"{}\"", token.text.substr(0, longest_quoted));
        default:
            return fmt::format("'{}'", token.text.substr(0, longest_quoted));
    }
}

}  // namespace

Token TokenReader::take() {
    const Token token = current_;
    current_ = lexer_.next();
    return token;
}

bool TokenReader::accept(char punctuation) {
    if (!current_.is(punctuation)) return false;
    take();
    return true;
}

bool TokenReader::accept_dotted(std::string_view name) {
    if (!current_.is_dotted(name)) return false;
    take();
    return true;
}

bool TokenReader::accept_word(std::string_view word) {
    if (current_.kind != Token::Kind::word || current_.text != word) return false;
    take();
    return true;
}

bool TokenReader::expect(char punctuation, std::string_view where) {
    if (accept(punctuation)) return true;
    return fail_expected(fmt::format("'{}' {}", punctuation, where));
}

bool TokenReader::expect_word(std::string& word, std::string_view what) {
    if (current_.kind != Token::Kind::word) return fail_expected(what);
    word = take().text;
    return true;
}

bool TokenReader::expect_integer(std::uint64_t& value, std::uint64_t most, std::string_view what) {
    if (current_.kind != Token::Kind::number) return fail_expected(what);
    const auto number = parse_number(current_.text);
    if (!number || number->is_real) return fail_expected(what);
    if (number->bits > most)
        return fail(fmt::format("{} is too large: {}", what, current_.text.substr(0, longest_quoted)));
    value = number->bits;
    take();
    return true;
}

bool TokenReader::expect_integer(unsigned& value, std::string_view what) {
    std::uint64_t wide = 0;
    if (!expect_integer(wide, std::numeric_limits<unsigned>::max(), what)) return false;
    value = static_cast<unsigned>(wide);
    return true;
}

bool TokenReader::expect_string(std::string& text, std::string_view what) {
    if (current_.kind != Token::Kind::string) return fail_expected(what);
    text = take().text;
    return true;
}

bool TokenReader::fail(std::string message) {
    if (failed_) return false;
    failed_ = true;
    error_ = cudash::error("ptx-syntax", std::move(message));
    error_.where = {"PTX", current_.line, 0};
    return false;
}

bool TokenReader::fail_expected(std::string_view what) {
    return fail(fmt::format("expected {}, found {}", what, describe(current_)));
}

}  // namespace cudash::ptx
