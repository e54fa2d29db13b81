// clang 19's incremental parser ends each cell with a token of its own, annot_repl_input_end. Most of the parser knows
// only tok::eof: a loop that is in the middle of something at that token, as in `int f() {`, looks at it for ever. So a
// cell that is incomplete, or that has an error at its end, ends with tok::eof as a file does, and the parser gets its
// own token back before the next cell.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "clang/Basic/TokenKinds.h"
#include "clang/Sema/Sema.h"
#include "repl/session/clang/child_launches.h"

namespace clang {
class CompilerInstance;
class Diagnostic;
class Token;
}  // namespace clang

namespace cudash::session {

class EndOfInput {
public:
    /// Watches the tokens of the compiler's preprocessor from now on.
    explicit EndOfInput(clang::CompilerInstance& compiler);
    ~EndOfInput();
    EndOfInput(const EndOfInput&) = delete;
    EndOfInput& operator=(const EndOfInput&) = delete;

    /// A cell begins.
    void begin();
    /// clang reported an error. Behind the last token the parser is to give up whatever it is looking for.
    void error_reported(const clang::Diagnostic& error);
    /// The lexer is at the end of the cell's text. Its next token is tok::eof, which ends the arguments of a macro too;
    /// where it reaches the parser, it is what it would have been.
    void text_ends();
    /// The parser has returned.
    void end();

private:
    void see(clang::Token& token);
    void make_end_of_input(clang::Token& token) const;
    bool is_over() const;
    void see_bracket(const clang::Token& token);
    void see_namespace(const clang::Token& token);
    void stay_in_statement() const;
    void stay_in_function(const clang::Token& token);
    void leave_failed_statement() const;
    void leave_contexts();
    clang::Token* current() const;
    clang::Token* end_token() const;
    void make_value_an_expression() const;

    clang::CompilerInstance& compiler_;
    ChildLaunches child_launches_;
    std::array<unsigned, 3> open_{};                     ///< (, [ and {, counted as the parser counts them
    clang::DeclContext* directive_of_ = nullptr;         ///< the function in which an OpenMP directive is being read
    bool directive_ends_ = false;                        ///< with the token that was seen last
    std::optional<clang::Sema::ContextRAII> top_level_;  ///< where the next cell begins
    std::vector<unsigned> heads_;       ///< how many ( were open before those of `if (...)` and its like
    std::vector<unsigned> namespaces_;  ///< how many { were open before those of namespaces and `extern "C"`
    clang::tok::TokenKind last_ = clang::tok::unknown;
    bool reached_ = false;             ///< the end, by the parser
    bool ends_ = false;                ///< the text, with the next token
    bool statement_expected_ = false;  ///< after such a head, `else` and `do`
    bool head_follows_ = false;        ///< after `if` and its like
    bool namespace_follows_ = false;   ///< after `namespace` and `extern "C"`
};

}  // namespace cudash::session
