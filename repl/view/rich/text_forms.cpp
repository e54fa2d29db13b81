// Tables, findings, differences and stops of the debugger as HTML.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ranges>

#include "repl/view/lane_signs.h"
#include "repl/view/markup.h"
#include "repl/view/picture/page.h"
#include "repl/view/picture/svg.h"
#include "repl/view/places.h"
#include "repl/view/rich/forms.h"

namespace cudash::view {
namespace {

/// Escaped, with what stands between backquotes as code.
std::string sentence(std::string_view text) {
    std::string result;
    for (bool is_code = false; !text.empty(); is_code = !is_code) {
        const std::size_t end = text.find('`');
        const std::string piece = escaped(text.substr(0, end));
        // The last backquote may be alone.
        const bool closes = end != std::string_view::npos;
        result += is_code && closes ? "<code>" + piece + "</code>" : (is_code ? "`" : "") + piece;
        text.remove_prefix(closes ? end + 1 : text.size());
    }
    return result;
}

std::string paragraph(std::string_view html, std::string_view kind = {}) {
    return kind.empty() ? fmt::format("<p>{}</p>\n", html) : fmt::format("<p class=\"{}\">{}</p>\n", kind, html);
}

/// A line of text each.
std::string paragraphs(std::string_view text) {
    std::string result;
    for (const auto& line : std::views::split(text, '\n'))
        if (!line.empty()) result += paragraph(sentence(std::string_view(line.begin(), line.end())));
    return result;
}

/// The name or the character that begins at a byte of a line (from 1), marked.
std::string with_mark(std::string_view line, unsigned column) {
    if (column == 0 || column > line.size()) return escaped(line);
    const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    const std::size_t begin = column - 1;
    std::size_t end = begin + std::max<std::size_t>(1, length_of_character(line.substr(begin)));
    while (in_name(line[begin]) && end < line.size() && in_name(line[end])) ++end;
    return fmt::format("{}<mark>{}</mark>{}", escaped(line.substr(0, begin)), escaped(line.substr(begin, end - begin)),
                       escaped(line.substr(end)));
}

/// The line of a place and some around it; what the place means is marked. Empty if the line is not known.
std::string source_html(const SourceSpot& where, const SourceLines& lines, unsigned around) {
    if (where.line == 0 || !lines || !lines(where.file, where.line)) return {};
    std::string text = "<div class=\"wide\"><table>\n";
    const unsigned first = where.line > around ? where.line - around : 1;
    for (unsigned number = first; number <= where.line + around; ++number) {
        auto line = lines(where.file, number);
        if (!line) continue;
        while (line->ends_with('\r')) line->pop_back();
        const bool is_it = number == where.line;
        text += fmt::format("<tr{}>{}<td class=\"code\">{}</td></tr>\n", is_it ? " class=\"here\"" : "",
                            cell_html({fmt::format("{}", number), "n quiet"}),
                            is_it ? with_mark(*line, where.column) : escaped(*line));
    }
    return text + "</table></div>\n";
}

struct SeverityForm {
    Diagnostic::Severity severity;
    std::string_view word, kind;
};
constexpr SeverityForm severity_forms[] = {{Diagnostic::Severity::note, "note", "quiet"},
                                           {Diagnostic::Severity::warning, "warning", "fair"},
                                           {Diagnostic::Severity::error, "error", "bad"}};

}  // namespace

std::string html(const session::Table& table, std::string_view text) {
    if (table.rows.empty()) return fragment(paragraphs(text) + paragraph("none", "quiet"));
    return fragment(paragraphs(text) + table_html(table.columns, table.rows));
}

std::string html(const Diagnostic& diagnostic, const SourceLines& lines) {
    const auto* form = std::ranges::find(severity_forms, diagnostic.severity, &SeverityForm::severity);
    const std::string code = diagnostic.code.empty() ? "" : fmt::format(" [{}]", escaped(diagnostic.code));
    std::string text = paragraph(
        fmt::format("<span class=\"{}\">{}{}</span>: {}", form->kind, form->word, code, sentence(diagnostic.message)));
    std::string place = escaped(position(diagnostic.where));
    if (diagnostic.thread) {
        const ThreadSpot& thread = *diagnostic.thread;
        const std::string kernel = thread.kernel.empty() ? "" : fmt::format(" in {}", thread.kernel);
        place = escaped(fmt::format("thread {} block {}{}{}{}", dim(thread.thread), dim(thread.block), kernel,
                                    diagnostic.where.file.empty() ? "" : ", ", spot(diagnostic.where)));
    }
    if (!place.empty()) text += paragraph(place, "quiet");
    text += source_html(diagnostic.where, lines, 1);
    for (const Diagnostic::Note& note : diagnostic.notes) {
        const std::string where = note.where.file.empty() ? "" : fmt::format(", {}", spot(note.where));
        text += paragraph(sentence(note.message) + fmt::format("<span class=\"quiet\">{}</span>", escaped(where)));
        const bool is_shown = note.where.file == diagnostic.where.file && note.where.line == diagnostic.where.line;
        if (!is_shown) text += source_html(note.where, lines, 0);
    }
    if (!diagnostic.hint.empty()) text += paragraph("<b>hint</b>: " + sentence(diagnostic.hint));
    return fragment(text);
}

std::string html(const session::DebugStop& stop, const SourceLines& lines) {
    std::string text = stop.why.empty() ? "" : paragraph(sentence(stop.why));
    if (stop.function.empty()) return fragment(text);
    const std::string place = stop.where.line != 0 ? fmt::format(" at {}", position(stop.where)) : "";
    text += paragraph(escaped(fmt::format("{}{}, block {} thread {} (warp {} lane {}), moment {}", stop.function, place,
                                          dim(stop.block), dim(stop.thread), stop.warp, stop.lane, stop.moment)),
                      "quiet");
    if (stop.with_source) text += source_html(stop.where, lines, lines_around_stop);
    constexpr std::size_t most_lanes = 32;
    constexpr double cell = 20;
    const std::string_view letters = std::string_view(stop.lanes).substr(0, most_lanes);
    Figure figure(cell * most_lanes, cell + 14);
    for (std::size_t lane = 0; lane < letters.size(); ++lane) {
        const LaneSign& sign = sign_of(letters[lane]);
        const double x = cell * static_cast<double>(lane);
        figure.box(x, 0, cell - 2, cell - 2, sign.ink,
                   fmt::format("lane {}: {}", lane, sign.meaning.empty() ? "not there" : sign.meaning));
        if (lane == stop.lane || lane % 8 == 0) figure.text(x + 2, cell + 10, fmt::format("{}", lane));
        if (lane == stop.lane) figure.box(x, cell - 2, cell - 2, 2, Ink::bad);
    }
    std::string legend;
    for (const LaneSign& each : lane_signs) {
        const auto count = std::ranges::count(letters, each.letter);
        if (count != 0 && !each.meaning.empty())
            legend += fmt::format("{}{} {}", legend.empty() ? "lanes: " : ", ", count, each.meaning);
    }
    figure.set_caption(legend);
    return fragment(text + figure.html());
}

std::string html(const session::DebugLanes& lanes) {
    constexpr std::size_t columns = 8;
    std::vector<PageRow> rows;
    for (std::size_t lane = 0; lane < lanes.values.size(); ++lane) {
        if (lane % columns == 0) rows.emplace_back();
        const char letter = lane < lanes.lanes.size() ? lanes.lanes[lane] : 'n';
        rows.back().push_back({fmt::format("{}", lane), "n quiet"});
        rows.back().push_back({!lanes.values[lane].empty()     ? lanes.values[lane]
                               : sign_of(letter).letter == 'n' ? ""
                                                               : "-",
                               lane == lanes.lane ? "n here"
                               : letter == 'a'    ? "n"
                                                  : "n quiet"});
    }
    return fragment(paragraph(escaped(fmt::format("({}) {}", lanes.type, lanes.expression))) + table_html({}, rows));
}

std::string html(const Difference& difference, std::string_view text) {
    std::vector<PageRow> rows;
    for (const Difference::Row& row : difference.rows) {
        const std::string_view kind = row.differs ? "n bad" : "n";
        rows.push_back({{row.index, "code"}, {row.a, kind}, {row.b, kind}, {row.error, "n"}});
    }
    std::string page = paragraphs(text);
    if (!rows.empty()) page += table_html({{"element"}, {"first", "n"}, {"second", "n"}, {"differ by", "n"}}, rows);
    if (difference.differing > difference.shown)
        page += paragraph(fmt::format("... {} more", difference.differing - difference.shown), "quiet");
    return fragment(page + paragraph(escaped(difference.sentence())));
}

}  // namespace cudash::view
