// TOML that people write: every key that nobody asks for, and every value of another type, is a mistake with a place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/toml.h"
#include "runtime_wrappers/diagnostic.h"

namespace cudash::grade {

/// Where a piece of TOML stands, and what is wrong with it.
struct TomlOrigin {
    std::string path;
    unsigned first_line = 1;  ///< of the TOML in the file
    std::vector<Diagnostic>* problems = nullptr;
    std::string_view code = "bad-lesson";  ///< of what is wrong

    void problem(unsigned line, std::string message, std::string hint = {}) const;
};

/// A table and the keys that its reader knows: those that it asked for.
class TomlTable {
public:
    TomlTable(const toml::table& table, const TomlOrigin& origin) : table_(&table), origin_(&origin) {}

    const std::string& path() const { return origin_->path; }
    bool has(std::string_view key) const { return table_->contains(key); }
    /// The line in the file of a key, or of the table if it has none.
    unsigned line(std::string_view key = {}) const;

    // nullopt: the key is not there, or its value is of another type, which is a problem then.
    std::optional<std::string> text(std::string_view key);
    /// A text or a number, as text: what somebody types.
    std::optional<std::string> typed(std::string_view key);
    std::optional<double> number(std::string_view key);
    std::optional<bool> flag(std::string_view key);
    std::optional<std::vector<std::string>> texts(std::string_view key);
    std::optional<std::vector<double>> numbers(std::string_view key);
    /// An array of tables; one table is taken for an array of one.
    std::vector<TomlTable> tables(std::string_view key);
    /// As text(), and it must be there and not be empty.
    std::string required_text(std::string_view key);

    /// A mistake in the value of `key`, or in the table.
    void problem(std::string_view key, std::string message, std::string hint = {}) const;
    /// Reports the keys that were not asked for.
    void finish() const;

private:
    const toml::node* find(std::string_view key);
    void wrong_type(std::string_view key, std::string_view wanted) const;

    const toml::table* table_;
    const TomlOrigin* origin_;
    std::vector<std::string> known_;
};

/// "did you mean `x`?" among `names`, or `otherwise`.
std::string hint_among(std::string_view word, const std::vector<std::string_view>& names, std::string otherwise = {});

/// nullopt: it is not TOML, which is a problem.
std::optional<toml::table> parse_toml(std::string_view text, const TomlOrigin& origin);

}  // namespace cudash::grade
