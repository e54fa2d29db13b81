// C++ text as cell_complete needs it: the items outside all brackets, with each bracketed group as one item.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace cudash::shell {

struct Item {
    enum class Kind { word, literal, punctuator, parens, squares, braces, directive };
    Kind kind = Kind::word;
    std::string_view text;
    bool space_before = false, space_after = false;
    /// Of parens: nothing inside.
    bool empty = false;
    /// Of parens: reads like a parameter list ("int* p", "Foo f") and not like arguments.
    bool declares = false;
};

/// Reads a text line by line.
class CellLexer {
public:
    explicit CellLexer(std::string_view text) : text_(text) {}

    /// Reads up to and including the next line end that is outside strings and comments. False at the end of the text.
    bool read_line();
    std::size_t position() const { return position_; }
    /// A bracket, comment, raw string or #if is still open.
    bool is_open() const { return !brackets_.empty() || !conditions_.empty() || unfinished_; }
    const std::vector<Item>& items() const { return items_; }
    /// Behind the last item, before white space and comments.
    std::size_t end_of_items() const { return end_of_items_; }

private:
    struct Bracket {
        char close = ')';
        Item item;
        Item previous;  ///< the last item inside
        bool has_previous = false;
    };
    /// What was open at an #if, to which #else and #elif go back.
    struct Condition {
        std::vector<Bracket> brackets;
        std::size_t items = 0;
    };

    char peek(std::size_t ahead = 0) const {
        return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
    }
    bool skip_space_or_comment();
    void read_directive();
    void read_item();
    void read_quoted(char quote);
    void read_raw_string();
    void add(Item item);
    void open(char close, Item::Kind kind);
    void close(char bracket);

    std::string_view text_;
    std::size_t position_ = 0, end_of_items_ = 0;
    bool at_line_start_ = true;
    bool space_ = true;
    bool unfinished_ = false;
    std::vector<Item> items_;
    std::vector<Bracket> brackets_;
    std::vector<Condition> conditions_;
};

bool is_type_or_specifier(std::string_view word);

}  // namespace cudash::shell
