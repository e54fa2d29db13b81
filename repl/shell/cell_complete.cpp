#include "repl/shell/cell_complete.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_set>

#include "repl/shell/cell_lexer.h"

namespace cudash::shell {
namespace {

using Kind = Item::Kind;

/// How the last statement of the text so far stands.
enum class Standing {
    incomplete,
    ended,
    ended_if,    ///< `else` may follow
    ended_try,   ///< `catch` may follow
    expression,  ///< has no ';': a value to show, unless the next line goes on with it
    declaration  ///< has no ';' and needs one
};

bool is_class_key(std::string_view word) {
    return word == "struct" || word == "class" || word == "union" || word == "enum";
}

bool needs_semicolon(std::string_view first_word) {
    static const std::unordered_set<std::string_view> words = {"using",   "typedef", "static_assert", "requires",
                                                               "concept", "friend",  "export",        "namespace"};
    return words.contains(first_word);
}

bool starts_expression(std::string_view first_word) {
    static const std::unordered_set<std::string_view> words = {
        "return", "throw", "new", "delete", "sizeof", "alignof", "goto", "typeid", "co_await", "co_return", "co_yield"};
    return words.contains(first_word);
}

/// Words between two operands.
bool is_operator_word(std::string_view word) {
    static const std::unordered_set<std::string_view> words = {"and",    "or",     "xor",   "bitand", "bitor", "not",
                                                               "not_eq", "and_eq", "or_eq", "xor_eq", "compl"};
    return words.contains(word);
}

/// Words whose parentheses are no parameter list.
bool takes_other_parens(std::string_view word) {
    static const std::unordered_set<std::string_view> words = {
        "__launch_bounds__", "__attribute__", "__declspec", "alignas",          "__align__",  "decltype",
        "noexcept",          "explicit",      "requires",   "__cluster_dims__", "__maxnreg__"};
    return words.contains(word);
}

bool is_trailing_operator(const Item& item) {
    if (item.kind != Kind::punctuator) return false;
    return item.text != "++" && item.text != "--" && item.text != ";" && item.text != "...";
}

/// A token at the start of a line that can only go on with what stood before.
bool continues_expression(std::string_view rest) {
    if (rest.starts_with("::") || rest.starts_with("++") || rest.starts_with("--")) return false;
    if (rest.starts_with("&&") || rest.starts_with("->")) return true;
    return std::string_view(".,?:=!<>|^/%;{)]}").find(rest.front()) != std::string_view::npos &&
           !(rest.front() == '!' && !rest.starts_with("!="));
}

class StatementParser {
public:
    explicit StatementParser(std::span<const Item> items) {
        // Directives between the parts of a statement do not change how it stands.
        for (const Item& item : items)
            if (item.kind != Kind::directive) items_.push_back(item);
    }

    /// After parse: a class or enumeration has its body, and lacks its semicolon.
    bool ends_in_class_body() const { return ends_in_class_body_; }

    Standing parse() {
        Standing standing = Standing::ended;
        while (next_ < items_.size() && standing != Standing::incomplete) standing = statement();
        return standing;
    }

private:
    bool at_end() const { return next_ >= items_.size(); }
    bool at(std::string_view text) const {
        return !at_end() && items_[next_].kind != Kind::literal && items_[next_].text == text;
    }
    bool at(Kind kind) const { return !at_end() && items_[next_].kind == kind; }
    bool accept(std::string_view text) {
        if (!at(text)) return false;
        ++next_;
        return true;
    }

    Standing statement() {
        const Depth depth(depth_);
        if (at_end()) return Standing::incomplete;
        if (depth_ > max_depth) return simple_statement();
        if (accept(";")) return Standing::ended;
        if (at(Kind::braces)) {
            ++next_;
            return Standing::ended;
        }
        if (accept("if")) return if_statement();
        if (accept("for") || accept("while") || accept("switch")) return headed_statement();
        if (accept("do")) return do_statement();
        if (accept("try")) return try_statement();
        if (accept("template")) return template_declaration();
        return simple_statement();
    }

    Standing headed_statement() {
        if (at_end()) return Standing::incomplete;
        if (!at(Kind::parens)) return simple_statement();
        ++next_;
        return statement();
    }

    Standing if_statement() {
        while (accept("constexpr") || accept("consteval") || accept("!")) {
        }
        if (at_end()) return Standing::incomplete;
        if (at(Kind::parens)) ++next_;
        const Standing then = statement();
        if (then == Standing::incomplete || then == Standing::expression || then == Standing::declaration) return then;
        if (accept("else")) return statement();
        return at_end() ? Standing::ended_if : Standing::ended;
    }

    Standing do_statement() {
        const Standing body = statement();
        if (body == Standing::incomplete || at_end()) return Standing::incomplete;
        if (!accept("while")) return Standing::ended;
        if (at_end()) return Standing::incomplete;
        return simple_statement();
    }

    Standing try_statement() {
        if (statement() == Standing::incomplete || at_end()) return Standing::incomplete;
        while (accept("catch")) {
            if (headed_statement() == Standing::incomplete) return Standing::incomplete;
        }
        return at_end() ? Standing::ended_try : Standing::ended;
    }

    Standing template_declaration() {
        if (at("<") || at("<<")) {
            int depth = 0;
            do {
                const Item& item = items_[next_++];
                if (item.kind == Kind::punctuator && item.text.starts_with('<') && !item.text.ends_with('='))
                    depth += static_cast<int>(item.text.size());
                if (item.kind == Kind::punctuator && item.text.starts_with('>') && !item.text.ends_with('='))
                    depth -= static_cast<int>(item.text.size());
            } while (depth > 0 && !at_end());
            if (depth > 0) return Standing::incomplete;
        }
        if (at_end()) return Standing::incomplete;
        return statement();
    }

    /// A declaration or an expression.
    Standing simple_statement() {
        const std::size_t start = next_;
        for (; !at_end(); ++next_) {
            if (at(";")) {
                ++next_;
                return Standing::ended;
            }
            if (at(Kind::braces) && is_body(start, next_)) {
                ++next_;
                return Standing::ended;
            }
        }
        return unterminated(start);
    }

    std::span<const Item> range(std::size_t begin, std::size_t end) const {
        return std::span<const Item>(items_).subspan(begin, end - begin);
    }

    static bool has_assignment(std::span<const Item> items) {
        for (std::size_t i = 0; i < items.size(); ++i)
            if (items[i].kind == Kind::punctuator && items[i].text == "=" &&
                (i == 0 || items[i - 1].text != "operator"))
                return true;
        return false;
    }

    static bool has_class_key(std::span<const Item> items) {
        return std::any_of(items.begin(), items.end(),
                           [](const Item& item) { return item.kind == Kind::word && is_class_key(item.text); });
    }

    /// True if the braces at `brace` are the body of a function, namespace or linkage block, with which a statement
    /// ends.
    bool is_body(std::size_t start, std::size_t brace) const {
        const auto before = range(start, brace);
        if (before.empty()) return true;
        if (before[0].text == "namespace" ||
            (before[0].text == "inline" && before.size() > 1 && before[1].text == "namespace"))
            return true;
        if (before.size() == 2 && before[0].text == "extern" && before[1].kind == Kind::literal) return true;
        const std::size_t end = header_end(before);
        if (end == 0) return false;
        // S::S() : a{1}, b(2) { }: braces after a name initialise a member.
        const bool initialisers = end < before.size() && before[end].text == ":";
        return !initialisers || before.back().kind == Kind::parens || before.back().kind == Kind::braces;
    }

    /// If `items` begin with a function's header, the index after its parameter list; otherwise 0.
    static std::size_t header_end(std::span<const Item> items) {
        if (items.empty() || has_assignment(items) || starts_expression(items[0].text)) return 0;
        bool is_operator = false;
        for (std::size_t i = 1; i < items.size(); ++i) {
            if (items[i - 1].text == "operator" && items[i - 1].kind == Kind::word) is_operator = true;
            if (items[i].kind != Kind::parens) continue;
            const Item& name = items[i - 1];
            if (name.kind == Kind::word && takes_other_parens(name.text)) continue;
            if (is_operator) {
                if (name.text == "operator") continue;  // operator()(...)
                return i + 1;
            }
            if (name.kind != Kind::word && name.text != ">" && name.text != ">>") return 0;
            if (!(items[i].empty || items[i].declares)) return 0;
            return names_function(items, i - 1) ? i + 1 : 0;
        }
        return 0;
    }

    /// True if a type stands before the (perhaps qualified) name that ends at `name`.
    static bool names_function(std::span<const Item> items, std::size_t name) {
        // f<int>(...): go back to the name of a specialisation.
        if (items[name].kind == Kind::punctuator) {
            while (name > 0 && items[name].text != "<") --name;
            if (name == 0) return false;
            --name;
        }
        bool qualified = false;
        while (name > 0 && (items[name - 1].text == "::" || items[name - 1].text == "~")) {
            // S::S and S::~S have no return type.
            if (items[name - 1].text == "~") return true;
            if (name >= 2 && items[name - 2].text == items[name].text) return true;
            if (name < 2) break;
            name -= 2;
            qualified = true;
        }
        if (name == 0) return false;
        const Item& before = items[name - 1];
        if (before.text == "template") return false;  // x.template f<int>()
        if (before.kind == Kind::word || before.kind == Kind::squares) return true;
        if (before.kind == Kind::parens) return name >= 2 && takes_other_parens(items[name - 2].text);
        if (before.text == ">" || before.text == ">>")
            return std::any_of(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(name),
                               [](const Item& item) { return item.text == "<"; });
        if (before.text == "*" || before.text == "&" || before.text == "&&")
            return name >= 2 && (is_type_or_specifier(items[0].text) ||
                                 before.space_before != items[name].space_before || qualified);
        return false;
    }

    /// `using namespace std`, `typedef float real`, `static_assert(true)`.
    static bool is_whole_without_semicolon(std::span<const Item> items) {
        const std::string_view first = items[0].text;
        if (first == "static_assert") return items.back().kind == Kind::parens;
        if (first == "using") return items.size() >= 3 && items.back().text != "typename";
        if (first == "typedef") return items.size() >= 3 && !is_type_or_specifier(items.back().text);
        return first == "namespace" && items.size() >= 4 && has_assignment(items);
    }

    /// The index behind a name, perhaps qualified and with template arguments: 0 if `items` do not begin with one.
    static std::size_t name_end(std::span<const Item> items) {
        std::size_t at = !items.empty() && items[0].text == "::" ? 1 : 0;
        while (at < items.size() && items[at].kind == Kind::word) {
            if (starts_expression(items[at].text) || is_operator_word(items[at].text)) return 0;
            ++at;
            if (at < items.size() && items[at].text == "<") {
                int depth = 0;
                do {
                    const Item& item = items[at++];
                    if (item.kind == Kind::punctuator && item.text.starts_with('<')) ++depth;
                    if (item.kind == Kind::punctuator && item.text.starts_with('>'))
                        depth -= static_cast<int>(item.text.size());
                } while (depth > 0 && at < items.size());
                if (depth > 0) return 0;
            }
            if (at >= items.size() || items[at].text != "::") return at;
            ++at;
        }
        return 0;
    }

    /// `dim3 block(16, 16)`, `cudaEvent_t start, stop`, `std::vector<int> v = {1}`: no expression has a name behind a
    /// name.
    static bool declares_variable(std::span<const Item> items) {
        const std::size_t at = name_end(items);
        if (at == 0 || at >= items.size() || items[at].kind != Kind::word || is_operator_word(items[at].text))
            return false;
        if (at + 1 == items.size()) return true;
        const Item& next = items[at + 1];
        return next.kind == Kind::parens || next.kind == Kind::braces || next.kind == Kind::squares ||
               next.text == "=" || next.text == ",";
    }

    /// `auto f = [](int x)`: the body is missing.
    static bool is_lambda_head(std::span<const Item> items) {
        const bool parameters = items.back().kind == Kind::parens;
        if (items.size() < (parameters ? 3u : 2u)) return false;
        const Item& captures = items[items.size() - (parameters ? 2 : 1)];
        const Item& before = items[items.size() - (parameters ? 3 : 2)];
        return captures.kind == Kind::squares && before.kind == Kind::punctuator && before.text != ">" &&
               before.text != ">>";
    }

    Standing unterminated(std::size_t start) {
        const auto items = range(start, items_.size());
        if (items.empty()) return Standing::incomplete;
        const Item& first = items.front();
        const Item& last = items.back();
        if (is_trailing_operator(last)) return Standing::incomplete;
        if (is_lambda_head(items)) return Standing::incomplete;
        if (first.kind == Kind::word && needs_semicolon(first.text))
            return is_whole_without_semicolon(items) ? Standing::declaration : Standing::incomplete;
        if (last.kind == Kind::literal && items.size() == 2 && first.text == "extern") return Standing::incomplete;
        if (last.kind == Kind::parens && takes_other_parens(items[items.size() - 2].text)) return Standing::incomplete;
        if (has_assignment(items))
            return (first.kind == Kind::word && is_type_or_specifier(first.text)) || declares_variable(items)
                       ? Standing::declaration
                       : Standing::expression;
        if (has_class_key(items)) {
            ends_in_class_body_ = last.kind == Kind::braces;
            return Standing::incomplete;
        }
        if (last.kind == Kind::word && is_type_or_specifier(last.text)) return Standing::incomplete;
        if (header_end(items) != 0) return Standing::incomplete;
        // int(2.5) and double{1} are values.
        const bool is_cast = items.size() >= 2 && (items[1].kind == Kind::parens || items[1].kind == Kind::braces);
        if (first.kind == Kind::word && is_type_or_specifier(first.text) && !is_cast) return Standing::declaration;
        if (declares_variable(items)) return Standing::declaration;
        return Standing::expression;
    }

    struct Depth {
        explicit Depth(int& value) : value_(value) { ++value_; }
        ~Depth() { --value_; }
        int& value_;
    };
    static constexpr int max_depth = 1000;  // if (a) if (b) ...: the recursion must end before the stack does

    std::vector<Item> items_;
    std::size_t next_ = 0;
    int depth_ = 0;
    bool ends_in_class_body_ = false;
};

/// A directive that is about the statement after it.
bool awaits_statement(const Item& item) {
    if (item.kind != Kind::directive) return false;
    std::string_view rest = item.text.substr(1);
    std::array<std::string_view, 3> words;
    for (std::string_view& word : words) {
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        word = rest.substr(0, rest.find_first_of(" \t\r\n("));
        rest.remove_prefix(word.size());
    }
    if (words[0] != "pragma") return false;
    if (words[1] == "unroll" || words[1] == "nounroll") return true;
    if (words[1] != "omp") return false;
    static const std::unordered_set<std::string_view> constructs = {
        "parallel", "for",  "critical", "atomic",   "single", "master", "simd",
        "sections", "task", "ordered",  "taskloop", "teams",  "target"};
    return constructs.contains(words[2]);
}

std::size_t indentation(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t");
    return first == std::string_view::npos ? 0 : first;
}

/// The text from its first token on, or empty.
std::string_view skip_to_token(std::string_view text) {
    while (!text.empty()) {
        if (text.starts_with("//")) {
            text.remove_prefix(std::min(text.find('\n'), text.size()));
        } else if (text.starts_with("/*")) {
            const std::size_t end = text.find("*/", 2);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
        } else if (std::string_view(" \t\r\n\v\f").find(text.front()) != std::string_view::npos) {
            text.remove_prefix(1);
        } else {
            break;
        }
    }
    return text;
}

bool starts_with_word(std::string_view text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return text.empty() || !(std::isalnum(static_cast<unsigned char>(text[0])) || text[0] == '_');
}

/// True if the lines after a cell belong to it.
bool goes_on(std::string_view cell, std::string_view rest, Standing standing) {
    const std::string_view token = skip_to_token(rest);
    if (token.empty()) return false;
    switch (standing) {
        case Standing::incomplete:
            return true;
        case Standing::ended:
            return token.front() == ';';
        case Standing::ended_if:
            return starts_with_word(token, "else");
        case Standing::ended_try:
            return starts_with_word(token, "catch");
        case Standing::declaration:
        case Standing::expression: {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            if (line.find_first_not_of(" \t\r") == std::string_view::npos) return false;
            return continues_expression(token) || (token.front() != '#' && indentation(line) > indentation(cell));
        }
    }
    return false;
}

}  // namespace

CellExtent first_cell(std::string_view text) {
    CellExtent extent;
    CellLexer lexer(text);
    while (lexer.position() < text.size()) {
        const std::size_t line_start = lexer.position();
        lexer.read_line();
        extent.end = lexer.position();
        if (lexer.is_open()) {
            extent.state = CellExtent::State::incomplete;
            continue;
        }
        if (lexer.items().empty()) {
            // Comments before a cell stay with it; blank lines do not.
            const std::string_view line = text.substr(line_start, lexer.position() - line_start);
            if (extent.begin == line_start && line.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos)
                extent.begin = lexer.position();
            continue;
        }
        extent.state = CellExtent::State::incomplete;
        const Standing standing = StatementParser(lexer.items()).parse();
        if (standing == Standing::incomplete || awaits_statement(lexer.items().back())) continue;
        if (goes_on(text.substr(extent.begin, extent.end - extent.begin), text.substr(extent.end), standing)) continue;
        extent.state = CellExtent::State::complete;
        return extent;
    }
    if (extent.state == CellExtent::State::incomplete && !lexer.is_open() && lexer.items().empty())
        extent.state = CellExtent::State::empty;  // a comment that was closed
    return extent;
}

std::string with_semicolon(std::string_view text) {
    std::string whole(text);
    CellLexer lexer(text);
    while (lexer.position() < text.size()) lexer.read_line();
    if (lexer.is_open() || lexer.items().empty() || lexer.items().back().kind == Kind::directive) return whole;
    StatementParser parser(lexer.items());
    const Standing standing = parser.parse();
    if (standing != Standing::declaration && !parser.ends_in_class_body()) return whole;
    return whole.insert(lexer.end_of_items(), ";");
}

std::vector<std::string> split_cells(std::string_view text) {
    std::vector<std::string> cells;
    while (!text.empty()) {
        const CellExtent extent = first_cell(text);
        if (extent.state == CellExtent::State::empty) break;
        cells.emplace_back(text.substr(extent.begin, extent.end - extent.begin));
        text.remove_prefix(extent.end);
    }
    return cells;
}

}  // namespace cudash::shell
