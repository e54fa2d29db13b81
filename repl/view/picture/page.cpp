#include "repl/view/picture/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "repl/view/markup.h"

namespace cudash::view {
namespace {

/// "12", "-1.5", "12.3 %", "-": what tables have in columns of numbers.
bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789.-+% ") == std::string_view::npos;
}

/// Rules, and what stands in a page that needs them.
struct Rule {
    std::string_view needed_by, css;
};
constexpr std::array rules = {
    // With a background: pages that are always light don't say so, and text must be readable where the system is dark.
    Rule{"", ".cudash{color:var(--cd-ink);background:var(--cd-paper);font-family:system-ui,sans-serif;font-size:14px}"},
    // JupyterLab sets cells of tables to the right and colors every other row, by two classes: three count more.
    Rule{"<table",
         ".cudash table{border-collapse:collapse;margin:.5em 0;color:inherit;background:none}"
         ".cudash td,.cudash th{color:inherit}.cudash.cudash.cudash tr{background:none}"
         ".cudash.cudash.cudash td,.cudash.cudash.cudash th{padding:.15em .6em;text-align:left;vertical-align:top;"
         "border:0;border-bottom:1px solid var(--cd-pale);white-space:pre-wrap}"},
    Rule{"class=\"n", ".cudash.cudash.cudash .n{text-align:right;font-variant-numeric:tabular-nums}"},
    Rule{"code",
         ".cudash code,.cudash td.code{font-family:ui-monospace,monospace;color:inherit;background:none;"
         "white-space:pre-wrap;overflow-wrap:anywhere}"},
    Rule{"<pre",
         ".cudash pre{font-family:ui-monospace,monospace;color:inherit;background:none;"
         "white-space:pre-wrap;overflow-wrap:anywhere;margin:.3em 0}"},
    Rule{"<p", ".cudash p{margin:.3em 0}"},
    Rule{"bad\"", ".cudash .bad{color:var(--cd-bad);font-weight:bold}"},
    Rule{"fair\"", ".cudash .fair{color:var(--cd-fair)}"},
    Rule{"good\"", ".cudash .good{color:var(--cd-good)}"},
    Rule{"quiet\"", ".cudash .quiet{color:var(--cd-quiet)}"},
    Rule{"here\"", ".cudash.cudash.cudash .here{background:var(--cd-soft)}"},
    Rule{"<mark", ".cudash mark{color:inherit;background:var(--cd-soft);text-decoration:underline var(--cd-bad)}"},
    Rule{"<svg", ".cudash svg{display:block;margin:.3em 0;max-width:100%;height:auto}"},
    Rule{"<figure", ".cudash figure{margin:1em 0}.cudash figcaption{color:var(--cd-quiet)}"},
    Rule{"\"wide\"", ".cudash .wide{overflow-x:auto}.cudash td svg{display:inline;margin:0}"},
};

}  // namespace

std::string page_css() {
    std::string css = theme_css();
    for (const Rule& rule : rules) css += rule.css;
    return css;
}

std::string fragment(std::string_view body) {
    std::string css;
    for (const Rule& rule : rules)
        if (body.find(rule.needed_by) != std::string_view::npos) css += rule.css;
    return fmt::format("<div class=\"cudash\"><style>{}{}</style>\n{}</div>\n", theme_css(css + std::string(body)), css,
                       body);
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
