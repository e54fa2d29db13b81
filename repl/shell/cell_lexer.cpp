#include "repl/shell/cell_lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <unordered_set>

namespace cudash::shell {
namespace {

bool is_word_start(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
}
bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
}
bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Longest first.
constexpr std::array<std::string_view, 30> punctuators = {
    "<<<", ">>>", "<=>", "...", "->*", "<<=", ">>=", "::", "->", "<<", ">>", "<=", ">=", "==", "!=",
    "&&",  "||",  "++",  "--",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", ".*", "##", "%:"};

bool is_string_prefix(std::string_view word) {
    return word == "R" || word == "L" || word == "u" || word == "U" || word == "u8" || word == "LR" || word == "uR" ||
           word == "UR" || word == "u8R";
}

/// "int x", "Foo* p", "T& r": the item before and the one after belong to a declaration. A `*` with equal spacing on
/// both sides is taken for a product.
bool is_declaration_pair(const Item& previous, const Item& item) {
    if (item.kind == Item::Kind::word && previous.kind == Item::Kind::word) return true;
    if (item.kind == Item::Kind::punctuator && item.text == "...") return true;
    const bool is_pointer = previous.text == "*" || previous.text == "&" || previous.text == "&&";
    return item.kind == Item::Kind::word && is_pointer && previous.space_before != item.space_before;
}

}  // namespace

bool is_type_or_specifier(std::string_view word) {
    static const std::unordered_set<std::string_view> words = {"static",
                                                               "inline",
                                                               "constexpr",
                                                               "consteval",
                                                               "constinit",
                                                               "extern",
                                                               "const",
                                                               "volatile",
                                                               "mutable",
                                                               "register",
                                                               "thread_local",
                                                               "virtual",
                                                               "explicit",
                                                               "friend",
                                                               "unsigned",
                                                               "signed",
                                                               "short",
                                                               "long",
                                                               "int",
                                                               "char",
                                                               "bool",
                                                               "float",
                                                               "double",
                                                               "void",
                                                               "auto",
                                                               "wchar_t",
                                                               "char8_t",
                                                               "char16_t",
                                                               "char32_t",
                                                               "struct",
                                                               "class",
                                                               "union",
                                                               "enum",
                                                               "typename",
                                                               "__global__",
                                                               "__device__",
                                                               "__host__",
                                                               "__shared__",
                                                               "__constant__",
                                                               "__managed__",
                                                               "typedef",
                                                               "__restrict__",
                                                               "__noinline__",
                                                               "__inline__",
                                                               "__forceinline__",
                                                               "__cluster_dims__",
                                                               "__launch_bounds__",
                                                               "__grid_constant__"};
    return words.contains(word);
}

bool CellLexer::read_line() {
    while (position_ < text_.size()) {
        if (peek() == '\n') {
            ++position_;
            at_line_start_ = true;
            space_ = true;
            return true;
        }
        if (skip_space_or_comment()) continue;
        if (peek() == '#' && at_line_start_) {
            read_directive();
        } else {
            read_item();
        }
        end_of_items_ = position_;
        at_line_start_ = false;
    }
    return false;
}

bool CellLexer::skip_space_or_comment() {
    const std::size_t start = position_;
    if (peek() == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
        position_ += peek(1) == '\n' ? 2 : 3;
        unfinished_ = position_ >= text_.size();
    } else if (std::isspace(static_cast<unsigned char>(peek()))) {
        while (peek() != '\n' && position_ < text_.size() && std::isspace(static_cast<unsigned char>(peek())))
            ++position_;
    } else if (peek() == '/' && peek(1) == '/') {
        while (position_ < text_.size() && peek() != '\n') position_ += peek() == '\\' && peek(1) == '\n' ? 2 : 1;
        position_ = std::min(position_, text_.size());
    } else if (peek() == '/' && peek(1) == '*') {
        const std::size_t end = text_.find("*/", position_ + 2);
        unfinished_ = end == std::string_view::npos;
        position_ = unfinished_ ? text_.size() : end + 2;
    }
    if (position_ == start) return false;
    space_ = true;
    if (brackets_.empty() && !items_.empty()) items_.back().space_after = true;
    return true;
}

void CellLexer::read_directive() {
    const std::size_t start = position_++;
    while (peek() == ' ' || peek() == '\t') ++position_;
    const std::size_t name_start = position_;
    while (is_word(peek())) ++position_;
    const std::string_view name = text_.substr(name_start, position_ - name_start);
    while (position_ < text_.size() && peek() != '\n') {
        const bool may_skip = peek() == '/' || peek() == '\\';
        if (may_skip && skip_space_or_comment()) continue;
        if (peek() == '"') {
            read_quoted('"');
        } else {
            ++position_;
        }
    }
    if (name == "if" || name == "ifdef" || name == "ifndef") {
        conditions_.push_back({brackets_, items_.size()});
    } else if ((name == "else" || name.starts_with("elif")) && !conditions_.empty()) {
        brackets_ = conditions_.back().brackets;
        items_.resize(conditions_.back().items);
    } else if (name == "endif" && !conditions_.empty()) {
        conditions_.pop_back();
    }
    if (brackets_.empty()) items_.push_back({Item::Kind::directive, text_.substr(start, position_ - start)});
}

void CellLexer::read_item() {
    const std::size_t start = position_;
    const char c = peek();
    if (is_word_start(c)) {
        while (is_word(peek())) ++position_;
        const std::string_view word = text_.substr(start, position_ - start);
        if ((peek() == '"' || peek() == '\'') && is_string_prefix(word)) {
            if (word.ends_with('R') && peek() == '"') {
                read_raw_string();
            } else {
                read_quoted(peek());
            }
            add({Item::Kind::literal, text_.substr(start, position_ - start)});
        } else {
            add({Item::Kind::word, word});
        }
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
        while (is_word(peek()) || peek() == '.' || (peek() == '\'' && is_word(peek(1))) ||
               ((peek() == '+' || peek() == '-') &&
                std::string_view("eEpP").find(text_[position_ - 1]) != std::string_view::npos &&
                !(text_[start] == '0' && (text_[start + 1] == 'x' || text_[start + 1] == 'X') &&
                  (text_[position_ - 1] == 'e' || text_[position_ - 1] == 'E'))))
            ++position_;
        add({Item::Kind::literal, text_.substr(start, position_ - start)});
    } else if (c == '"' || c == '\'') {
        read_quoted(c);
        add({Item::Kind::literal, text_.substr(start, position_ - start)});
    } else if (c == '(') {
        open(')', Item::Kind::parens);
    } else if (c == '[') {
        open(']', Item::Kind::squares);
    } else if (c == '{') {
        open('}', Item::Kind::braces);
    } else if (c == ')' || c == ']' || c == '}') {
        close(c);
    } else {
        const auto* found = std::find_if(punctuators.begin(), punctuators.end(),
                                         [&](std::string_view p) { return text_.substr(position_).starts_with(p); });
        position_ += found == punctuators.end() ? 1 : found->size();
        add({Item::Kind::punctuator, text_.substr(start, position_ - start)});
    }
}

void CellLexer::read_quoted(char quote) {
    ++position_;
    while (position_ < text_.size() && peek() != quote && peek() != '\n')
        position_ += peek() == '\\' && position_ + 1 < text_.size() ? 2 : 1;
    if (peek() == quote) ++position_;
}

void CellLexer::read_raw_string() {
    const std::size_t open = text_.find('(', position_);
    if (open == std::string_view::npos) {
        position_ = text_.size();
        return;
    }
    std::string closing = ")";
    closing += text_.substr(position_ + 1, open - position_ - 1);
    closing += '"';
    const std::size_t end = text_.find(closing, open);
    unfinished_ = end == std::string_view::npos;
    position_ = unfinished_ ? text_.size() : end + closing.size();
}

void CellLexer::add(Item item) {
    item.space_before = space_;
    space_ = false;
    if (brackets_.empty()) {
        items_.push_back(item);
        return;
    }
    Bracket& group = brackets_.back();
    group.item.empty = false;
    if (item.kind == Item::Kind::word && is_type_or_specifier(item.text)) group.item.declares = true;
    if (group.has_previous && is_declaration_pair(group.previous, item)) group.item.declares = true;
    group.previous = item;
    group.has_previous = true;
}

void CellLexer::open(char close, Item::Kind kind) {
    Bracket bracket;
    bracket.close = close;
    bracket.item.kind = kind;
    bracket.item.text = text_.substr(position_, 1);
    bracket.item.space_before = space_;
    bracket.item.empty = true;
    brackets_.push_back(std::move(bracket));
    ++position_;
    space_ = false;
}

void CellLexer::close(char bracket) {
    ++position_;
    // A closing bracket that fits an outer one ends what is inside; one that fits nothing is left to the compiler.
    auto match =
        std::find_if(brackets_.rbegin(), brackets_.rend(), [&](const Bracket& b) { return b.close == bracket; });
    if (match == brackets_.rend()) {
        if (brackets_.empty()) items_.push_back({Item::Kind::punctuator, ";"});
        return;
    }
    const Item item = match->item;
    brackets_.erase(match.base() - 1, brackets_.end());
    const bool space = item.space_before;
    space_ = space;
    add(item);
}

}  // namespace cudash::shell
