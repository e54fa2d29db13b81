// One token of lookahead over the lexer, and the first error. Parse functions return false once an error was recorded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/virtual_gpu/ptx/lexer.h"

namespace cudash::ptx {

class TokenReader {
public:
    explicit TokenReader(std::string_view text) : lexer_(text), current_(lexer_.next()) {}

    const Token& peek() const { return current_; }
    unsigned line() const { return current_.line; }
    Token take();

    bool accept(char punctuation);
    /// Takes ".name".
    bool accept_dotted(std::string_view name);
    bool accept_word(std::string_view word);

    /// Takes the punctuation, or fails with "expected ';' after the instruction, found ...".
    bool expect(char punctuation, std::string_view where);
    /// Takes an identifier; `what` names it for the message: "a variable's name".
    bool expect_word(std::string& word, std::string_view what);
    /// Takes an unsigned integer of at most `most`.
    bool expect_integer(std::uint64_t& value, std::uint64_t most, std::string_view what);
    bool expect_integer(unsigned& value, std::string_view what);
    bool expect_string(std::string& text, std::string_view what);

    /// Records the error, if it is the first, at the current token's line.
    bool fail(std::string message);
    /// fail("expected `what`, found ...").
    bool fail_expected(std::string_view what);
    const Diagnostic& error() const { return error_; }

private:
    Lexer lexer_;
    Token current_;
    Diagnostic error_;
    bool failed_ = false;
};

}  // namespace cudash::ptx
