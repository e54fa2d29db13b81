#include "repl/view/picture/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "repl/view/markup.h"

namespace cudash::view {
namespace {

/// "12", "-1.5", "12.3 %", "-": what tables have in columns of numbers.
bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789.-+% ") == std::string_view::npos;
}

}  // namespace

std::string page_css() {
    return theme_css() +
           ".cudash{color:var(--cd-ink);font-family:system-ui,sans-serif;font-size:14px}"
           ".cudash table{border-collapse:collapse;margin:.5em 0;color:inherit;background:none}"
           ".cudash tr,.cudash tr:nth-child(odd){background:none}"
           ".cudash td,.cudash th{padding:.15em .6em;text-align:left;vertical-align:top;color:inherit;"
           "border-bottom:1px solid var(--cd-pale);white-space:pre-wrap}"
           ".cudash td.n,.cudash th.n{text-align:right;font-variant-numeric:tabular-nums}"
           ".cudash code,.cudash td.code,.cudash pre{font-family:ui-monospace,monospace;color:inherit;background:none;"
           "white-space:pre-wrap;overflow-wrap:anywhere}"
           ".cudash pre{margin:.3em 0}.cudash p{margin:.3em 0}.cudash .bad{color:var(--cd-bad);font-weight:bold}"
           ".cudash .fair{color:var(--cd-fair)}.cudash .good{color:var(--cd-good)}"
           ".cudash .quiet,.cudash figcaption{color:var(--cd-quiet)}.cudash .here{background:var(--cd-soft)}"
           ".cudash mark{color:inherit;background:var(--cd-soft);text-decoration:underline var(--cd-bad)}"
           ".cudash svg{display:block;margin:.3em 0;max-width:100%;height:auto}.cudash td svg{display:inline;margin:0}"
           ".cudash figure{margin:1em 0}.cudash .wide{overflow-x:auto}";
}

std::string fragment(std::string_view body) {
    return fmt::format("<div class=\"cudash\"><style>{}</style>\n{}</div>\n", page_css(), body);
}

std::string cell_html(const PageCell& cell, std::string_view tag) {
    if (cell.kind.empty()) return fmt::format("<{0}>{1}</{0}>", tag, escaped(cell.text));
    return fmt::format("<{0} class=\"{1}\">{2}</{0}>", tag, cell.kind, escaped(cell.text));
}

std::string table_html(const PageRow& headings, const std::vector<PageRow>& rows) {
    std::string text = "<div class=\"wide\"><table>\n";
    if (!headings.empty()) {
        text += "<tr>";
        for (const PageCell& cell : headings) text += cell_html(cell, "th");
        text += "</tr>\n";
    }
    for (const PageRow& row : rows) {
        text += "<tr>";
        for (const PageCell& cell : row) text += cell_html(cell);
        text += "</tr>\n";
    }
    return text + "</table></div>\n";
}

std::string table_html(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::string_view> kinds;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const bool numbers = std::ranges::all_of(
            rows, [&](const auto& row) { return i >= row.size() || row[i].empty() || is_number(row[i]); });
        kinds.push_back(numbers && !rows.empty() ? "n" : "");
    }
    PageRow headings;
    for (std::size_t i = 0; i < columns.size(); ++i) headings.push_back({columns[i], kinds[i]});
    std::vector<PageRow> cells;
    for (const auto& row : rows) {
        cells.emplace_back();
        for (std::size_t i = 0; i < row.size(); ++i)
            cells.back().push_back({row[i], i < kinds.size() ? kinds[i] : std::string_view()});
    }
    return table_html(headings, cells);
}

}  // namespace cudash::view
