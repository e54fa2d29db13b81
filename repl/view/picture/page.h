// Parts of pages that all of them have: the style of text and tables, and tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/view/picture/theme.h"

namespace cudash::view {

/// theme_css(), and rules for text, tables and source code below an element of the class `cudash`.
std::string page_css();

/// `body` as it can stand in any page, with those rules of page_css() that it needs: a <div>.
std::string fragment(std::string_view body);

/// A cell of a table. Its text is escaped when the table is made.
struct PageCell {
    std::string text;
    std::string_view kind{};  ///< classes of page_css(): "n" a number, "code", "bad", "fair", "quiet", "here"
};
using PageRow = std::vector<PageCell>;

/// "<td ...>...</td>"; `tag` may be "th".
std::string cell_html(const PageCell& cell, std::string_view tag = "td");
std::string table_html(const PageRow& headings, const std::vector<PageRow>& rows);
/// Columns that hold nothing but numbers are set to the right.
std::string table_html(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows);

}  // namespace cudash::view
