#include "repl/session/debug/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace cudash::session::debug {
namespace {

/// Of the longest ones first.
constexpr std::array<std::string_view, 44> expression_signs = {
    "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=",
    "*=",  "/=",  "%=", "&=", "|=", "^=", "+",  "-",  "*",  "/",  "%",  "&",  "|",  "^",  "~",
    "!",   "<",   ">",  "=",  "?",  ":",  "(",  ")",  "[",  "]",  ".",  ",",  ";",  "\""};
constexpr std::array<std::string_view, 13> changing_signs = {
    "++", "--", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
/// The operators that bind least come first.
constexpr std::array<std::array<std::string_view, 4>, 10> binary_levels = {{{"||"},
                                                                            {"&&"},
                                                                            {"|"},
                                                                            {"^"},
                                                                            {"&"},
                                                                            {"==", "!="},
                                                                            {"<", ">", "<=", ">="},
                                                                            {"<<", ">>"},
                                                                            {"+", "-"},
                                                                            {"*", "/", "%"}}};
constexpr std::array<std::string_view, 13> type_words = {"unsigned", "signed", "char",   "short", "int",
                                                         "long",     "float",  "double", "bool",  "const",
                                                         "struct",   "void",   "size_t"};
constexpr unsigned deepest = 100;

struct Lexeme {
    enum class Kind : std::uint8_t { end, name, number, sign };
    Kind kind = Kind::end;
    std::string_view text;
};

class ExpressionParser {
public:
    explicit ExpressionParser(std::string_view text) : text_(text) { advance(); }

    Result<Expression> run() {
        if (here_.kind == Lexeme::Kind::end && !problem_) return error("bad-expression", "an expression is missing");
        Expression made = conditional();
        if (!problem_ && here_.kind != Lexeme::Kind::end) fail_at_sign();
        if (problem_) return *problem_;
        return made;
    }

private:
    void advance() {
        while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front()))) text_.remove_prefix(1);
        here_ = {};
        if (text_.empty()) return;
        const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
        const char first = text_.front();
        std::size_t size = 0;
        if (std::isdigit(static_cast<unsigned char>(first)) ||
            (first == '.' && text_.size() > 1 && std::isdigit(static_cast<unsigned char>(text_[1])))) {
            here_.kind = Lexeme::Kind::number;
            const auto goes_on = [&](std::size_t at) {
                const char c = text_[at], before = text_[at - 1];
                return in_name(c) || c == '.' ||
                       ((c == '+' || c == '-') && (before == 'e' || before == 'E') && !text_.starts_with("0x"));
            };
            for (size = 1; size < text_.size() && goes_on(size);) ++size;
        } else if (in_name(first)) {
            here_.kind = Lexeme::Kind::name;
            while (size < text_.size() && (in_name(text_[size]) || (text_[size] == ':' && is_scope(size)))) ++size;
        } else {
            here_.kind = Lexeme::Kind::sign;
            const auto* sign =
                std::ranges::find_if(expression_signs, [&](auto each) { return text_.starts_with(each); });
            size = sign == expression_signs.end() ? 1 : sign->size();
        }
        here_.text = text_.substr(0, size);
        text_.remove_prefix(size);
    }
    bool is_scope(std::size_t at) const {
        return text_.substr(at).starts_with("::") || (at > 0 && text_.substr(at - 1).starts_with("::"));
    }

    bool is(std::string_view sign) const { return here_.kind == Lexeme::Kind::sign && here_.text == sign; }
    bool accept(std::string_view sign) {
        if (!is(sign)) return false;
        advance();
        return true;
    }
    void expect(std::string_view sign) {
        if (!accept(sign) && !problem_) fail_at_sign(fmt::format("expected '{}'", sign));
    }
    void fail(std::string message, std::string hint = {}) {
        if (!problem_) problem_ = error("bad-expression", std::move(message), std::move(hint));
    }
    void fail_at_sign(std::string expected = {}) {
        if (here_.kind == Lexeme::Kind::sign && std::ranges::find(changing_signs, here_.text) != changing_signs.end())
            return fail(fmt::format("the debugger changes no values: '{}' is not allowed", here_.text),
                        here_.text == "=" ? "== compares" : "");
        const std::string got =
            here_.kind == Lexeme::Kind::end ? std::string("the end") : fmt::format("'{}'", here_.text);
        fail(expected.empty() ? fmt::format("can't read the expression at {}", got)
                              : fmt::format("{}, got {}", expected, got));
    }

    static Expression make(Expression::Kind kind, std::string_view text, std::vector<Expression> operands) {
        Expression made;
        made.kind = kind;
        made.text = text;
        made.operands = std::move(operands);
        return made;
    }

    Expression conditional() {
        Expression first = binary(0);
        if (!accept("?")) return first;
        Expression yes = conditional();
        expect(":");
        Expression no = conditional();
        return make(Expression::Kind::conditional, "?", {std::move(first), std::move(yes), std::move(no)});
    }

    Expression binary(std::size_t level) {
        if (level == binary_levels.size()) return unary();
        Expression left = binary(level + 1);
        while (!problem_ && here_.kind == Lexeme::Kind::sign) {
            const auto& signs = binary_levels[level];
            const auto* sign = std::ranges::find(signs, here_.text);
            if (sign == signs.end() || here_.text.empty()) break;
            const std::string_view text = here_.text;
            advance();
            Expression right = binary(level + 1);
            left = make(Expression::Kind::binary, text, {std::move(left), std::move(right)});
        }
        return left;
    }

    Expression unary() {
        if (++depth_ > deepest) fail("the expression is nested too deeply");
        Expression made = problem_ ? Expression{} : unary_here();
        --depth_;
        return made;
    }

    Expression unary_here() {
        for (const std::string_view sign : {"*", "&", "-", "+", "!", "~"})
            if (accept(sign)) return make(Expression::Kind::unary, sign, {unary()});
        if (is("(")) {
            const std::string_view rest = text_;
            const Lexeme before = here_;
            advance();
            if (auto cast = cast_type()) {
                cast->operands.push_back(unary());
                return std::move(*cast);
            }
            text_ = rest;
            here_ = before;
        }
        return postfix(primary());
    }

    /// `unsigned int*)`, behind a parenthesis.
    std::optional<Expression> cast_type() {
        Expression made;
        made.kind = Expression::Kind::cast;
        bool known = false;
        while (here_.kind == Lexeme::Kind::name) {
            const bool word = std::ranges::find(type_words, here_.text) != type_words.end();
            known |= word;
            if (!word && !made.text.empty()) return std::nullopt;
            if (here_.text != "const" && here_.text != "struct")
                made.text += (made.text.empty() ? "" : " ") + std::string(here_.text);
            advance();
        }
        while (accept("*")) ++made.pointers;
        // (x) * y is a product of a variable; (T*) is a type.
        if (made.text.empty() || !is(")") || (!known && made.pointers == 0)) return std::nullopt;
        advance();
        return made;
    }

    Expression postfix(Expression made) {
        while (!problem_) {
            if (accept("[")) {
                Expression index = conditional();
                expect("]");
                made = make(Expression::Kind::index, "[]", {std::move(made), std::move(index)});
            } else if (is(".") || is("->")) {
                const bool arrow = here_.text == "->";
                advance();
                if (here_.kind != Lexeme::Kind::name) {
                    fail_at_sign("expected a member's name");
                    break;
                }
                made = make(arrow ? Expression::Kind::arrow : Expression::Kind::member, here_.text, {std::move(made)});
                advance();
            } else if (is("(")) {
                fail("the debugger calls no functions", "`break FUNCTION` stops in one");
            } else {
                break;
            }
        }
        return made;
    }

    Expression primary() {
        if (accept("(")) {
            Expression made = conditional();
            expect(")");
            return made;
        }
        if (here_.kind == Lexeme::Kind::number) return number();
        if (here_.kind != Lexeme::Kind::name) {
            fail_at_sign("expected a name or a number");
            return {};
        }
        Expression made;
        made.text = here_.text;
        made.kind = Expression::Kind::name;
        if (made.text == "true" || made.text == "false") {
            made.kind = Expression::Kind::number;
            made.number = Scalar::of_bool(made.text == "true");
        }
        advance();
        return made;
    }

    Expression number() {
        Expression made;
        std::string text(here_.text);
        advance();
        made.text = text;
        std::string_view suffix;
        const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
        if (!hexadecimal && text.find_first_of(".eE") != std::string::npos) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            suffix = end;
            if (!suffix.empty() && suffix != "f" && suffix != "F")
                fail(fmt::format("expected a number, got '{}'", text));
            made.number = Scalar::of_real(suffix.empty() ? value : static_cast<float>(value), !suffix.empty());
            return made;
        }
        std::uint64_t value = 0;
        const char* const begin = text.data() + (hexadecimal ? 2 : 0);
        const auto [end, failure] = std::from_chars(begin, text.data() + text.size(), value, hexadecimal ? 16 : 10);
        suffix = {end, static_cast<std::size_t>(text.data() + text.size() - end)};
        if (failure != std::errc() || suffix.find_first_not_of("uUlL") != std::string_view::npos)
            fail(fmt::format("expected a number, got '{}'", text));
        const bool is_unsigned = suffix.find_first_of("uU") != std::string_view::npos;
        const bool wide = suffix.find_first_of("lL") != std::string_view::npos ||
                          value > (is_unsigned || hexadecimal ? 0xFFFF'FFFFu : 0x7FFF'FFFFu);
        made.number = is_unsigned || (hexadecimal && value > 0x7FFF'FFFFu)
                          ? Scalar::of_unsigned(value, wide ? 8 : 4)
                          : Scalar::of_int(static_cast<std::int64_t>(value), wide ? 8 : 4);
        return made;
    }

    std::string_view text_;
    Lexeme here_;
    unsigned depth_ = 0;
    std::optional<Diagnostic> problem_;
};

}  // namespace

void Expression::names(std::vector<std::string>& to) const {
    if (kind == Kind::name) to.push_back(text);
    for (const Expression& each : operands) each.names(to);
}

Result<Expression> parse_expression(std::string_view text) {
    return ExpressionParser(text).run();
}

}  // namespace cudash::session::debug
