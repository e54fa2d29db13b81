// Arrays on pages: tables of their elements, and drawings.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "repl/view/array_texts.h"
#include "repl/view/markup.h"
#include "repl/view/picture/page.h"
#include "repl/view/picture/svg.h"
#include "repl/view/rich/forms.h"

namespace cudash::view {
namespace {

constexpr std::uint64_t in_line = 16;  ///< elements of a long line
constexpr std::uint64_t first_of_line = 80, last_of_line = 16;
constexpr std::uint64_t head_columns = 14, tail_columns = 5, head_rows = 12, tail_rows = 4;
constexpr std::uint64_t most_of_all = 20'000;  ///< elements that `all` puts into a table

PageCell cell_of(const std::string& text) {
    if (text == "?" || text == "...") return {text, "n quiet"};
    const bool is_odd = text.find("nan") != std::string::npos || text.find("inf") != std::string::npos;
    return {text, is_odd ? "n bad" : "n"};
}

std::string titled(std::string_view title, const std::string& table, bool has_unwritten) {
    return fragment(fmt::format("<p><code>{}</code></p>\n{}{}", escaped(title), table,
                                has_unwritten ? "<p class=\"quiet\">?: nothing has written these elements</p>\n" : ""));
}

bool line_table(const Array& array, bool all, std::vector<PageRow>& rows) {
    const std::uint64_t count = array.columns();
    const Elision shown = elide(count, first_of_line, last_of_line, all);
    const auto add = [&](std::uint64_t from, std::uint64_t end) {
        for (std::uint64_t at = from; at < end; at += in_line) {
            std::vector<std::string> texts;
            if (!read_texts(array, 0, at, std::min(in_line, end - at), texts)) return false;
            rows.push_back({{fmt::format("[{}]", array.index(0, at)), "n quiet"}});
            for (const std::string& text : texts) rows.back().push_back(cell_of(text));
        }
        return true;
    };
    if (!add(0, shown.head)) return false;
    if (shown.any()) rows.push_back({{"...", "n quiet"}, {fmt::format("{} more", shown.tail - shown.head), "quiet"}});
    return add(shown.tail, count);
}

bool plane_table(const Array& array, bool all, PageRow& headings, std::vector<PageRow>& rows) {
    const Elision across = elide(array.columns(), head_columns, tail_columns, all);
    const Elision down = elide(array.rows(), head_rows, tail_rows, all);
    const std::size_t inner = array.extent.size() - 1;
    headings.push_back({"", "n"});
    for (std::uint64_t x = 0; x < array.columns(); ++x) {
        if (across.any() && x == across.head) {
            headings.push_back({"...", "n quiet"});
            x = across.tail;
        }
        headings.push_back({fmt::format("{}", array.index(inner, x)), "n quiet"});
    }
    for (std::uint64_t y = 0; y < array.rows(); ++y) {
        if (down.any() && y == down.head) {
            rows.push_back({{fmt::format("... {} more rows", down.tail - down.head), "quiet"}});
            y = down.tail;
        }
        std::vector<std::string> texts;
        if (!read_texts(array, y, 0, across.head, texts)) return false;
        if (across.any()) texts.emplace_back("...");
        if (!read_texts(array, y, across.tail, array.columns() - across.tail, texts)) return false;
        rows.push_back({{array.label(y, 0), "n quiet"}});
        for (const std::string& text : texts) rows.back().push_back(cell_of(text));
    }
    return true;
}

}  // namespace

bool add_numbers(const Array& array, bool all, std::string_view title, Rich& rich) {
    // A page of millions of cells can't be shown: then the text is all there is.
    if (all && array.count() > most_of_all) return true;
    PageRow headings;
    std::vector<PageRow> rows;
    const bool flat = array.extent.size() == 1;
    if (!(flat ? line_table(array, all, rows) : plane_table(array, all, headings, rows))) return false;
    const bool has_unwritten = std::ranges::any_of(rows, [](const PageRow& row) {
        return std::ranges::any_of(row, [](const auto& cell) { return cell.text == "?"; });
    });
    rich.html = titled(title, table_html(headings, rows), has_unwritten);
    return true;
}

bool add_hex(const Array& array, std::string_view title, Rich& rich) {
    HexDump dump;
    if (!read_hex(array, false, dump)) return false;
    std::vector<PageRow> rows;
    for (const HexDump::Line& line : dump.lines)
        rows.push_back({{fmt::format("{:08x}", line.offset), "code"}, {line.digits, "code"}, {line.letters, "code"}});
    if (dump.left_out > 0) rows.push_back({{"...", "quiet"}, {fmt::format("{} more bytes", dump.left_out), "quiet"}});
    rich.html = titled(title, table_html({}, rows), false);
    return true;
}

bool add_histogram(const Array& array, std::string_view title, Rich& rich) {
    Summary summary;
    if (!summarise(array, summary)) return false;
    const bool constant = !(summary.most > summary.least);
    constexpr std::size_t intervals = 32;
    std::vector<std::uint64_t> counts(constant ? 1 : intervals);
    if (!tally(array, summary.least, summary.most, counts)) return false;
    const double highest = static_cast<double>(std::max<std::uint64_t>(1, std::ranges::max(counts)));
    constexpr double width = 560, height = 160, left = 70;
    Figure figure(left + width, height + 18);
    const double bar = width / static_cast<double>(counts.size());
    const double step = (summary.most - summary.least) / static_cast<double>(counts.size());
    figure.text_before(left - 6, 10, fmt::format("{:.0f}", highest));
    figure.text_before(left - 6, height, "0");
    figure.box(left, height, width, 1, Ink::quiet);
    for (std::size_t i = 0; i < counts.size() && summary.finite() > 0; ++i) {
        if (counts[i] == 0) continue;
        const double tall = std::max(1.0, height * static_cast<double>(counts[i]) / highest);
        const double from = summary.least + step * static_cast<double>(i);
        figure.box(left + bar * static_cast<double>(i), height - tall, bar - 1, tall, Ink::blue,
                   fmt::format("{} from {}", counts[i], short_text(from)));
    }
    figure.text(left, height + 14, short_text(summary.least), Ink::quiet);
    figure.text_before(left + width, height + 14, short_text(summary.most));
    std::string caption = fmt::format("{}: {} elements, mean {}, standard deviation {}, {} zero", title, summary.count,
                                      short_text(summary.mean()), short_text(summary.deviation()), summary.zeros);
    if (summary.nans) caption += fmt::format(", {} NaN", summary.nans);
    if (summary.infinite) caption += fmt::format(", {} infinite", summary.infinite);
    figure.set_caption(std::move(caption));
    rich.svg = figure.svg();
    return true;
}

namespace {

constexpr std::uint64_t most_points = 560;
constexpr double plot_width = 560, plot_height = 140, plot_left = 70;

/// Averages along a line.
bool points_of(const Array& line, std::vector<double>& values) {
    return reduce(line, 1, static_cast<std::size_t>(std::min(most_points, line.columns())), values);
}

Figure curves(const std::vector<std::vector<double>>& series, const std::string& first, const std::string& last) {
    constexpr Ink paints[] = {Ink::blue, Ink::bad, Ink::good, Ink::orange, Ink::violet, Ink::teal};
    std::vector<double> all;
    for (const auto& values : series) all.insert(all.end(), values.begin(), values.end());
    const auto [least, most] = range_of(all);
    Figure figure(plot_left + plot_width, plot_height + 18);
    figure.text_before(plot_left - 6, 10, short_text(most));
    figure.text_before(plot_left - 6, plot_height, short_text(least));
    figure.box(plot_left, plot_height, plot_width, 1, Ink::pale);
    const double range = most > least ? most - least : 1;
    for (std::size_t s = 0; s < series.size(); ++s) {
        const std::vector<double>& values = series[s];
        const double step = values.size() > 1 ? plot_width / static_cast<double>(values.size() - 1) : 0;
        std::vector<std::pair<double, double>> run;
        const auto end_run = [&] {
            if (run.size() == 1) run.emplace_back(run.front().first + 2, run.front().second);
            if (!run.empty()) figure.line(run, paints[s % std::size(paints)]);
            run.clear();
        };
        // What is not a number leaves a gap.
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (std::isnan(values[i])) {
                end_run();
                continue;
            }
            const double up = (values[i] - least) / range;
            run.emplace_back(plot_left + step * static_cast<double>(i), plot_height - 4 - (plot_height - 8) * up);
        }
        end_run();
    }
    figure.text(plot_left, plot_height + 14, first, Ink::quiet);
    figure.text_before(plot_left + plot_width, plot_height + 14, last);
    return figure;
}

std::string of_averages(std::uint64_t length) {
    if (length <= most_points) return {};
    return fmt::format("; a point is the average of {} elements", (length + most_points - 1) / most_points);
}

}  // namespace

bool add_sparkline(const Array& array, std::string_view title, Rich& rich) {
    const bool flat = array.rows() > 1;
    const std::uint64_t length = flat ? array.rows() : array.columns();
    std::vector<double> values;
    if (!(flat ? reduce(array, static_cast<std::size_t>(std::min(most_points, length)), 1, values)
               : points_of(array, values)))
        return false;
    const auto index = [&](std::uint64_t at) { return fmt::format("{}", array.index(0, at)); };
    Figure figure = curves({values}, index(0), index(length - 1));
    figure.set_caption(fmt::format("{}{}{}", title, flat ? ": the rows' averages" : "", of_averages(length)));
    rich.svg = figure.svg();
    return true;
}

bool add_plot(const Array& array, std::string_view title, Rich& rich) {
    constexpr std::uint64_t most_series = 6;  // the colors that there are
    std::vector<std::vector<double>> series;
    for (std::uint64_t row = 0; row < std::min(most_series, array.rows()); ++row)
        if (!points_of(row_of(array, row), series.emplace_back())) return false;
    const std::size_t inner = array.extent.size() - 1;
    Figure figure = curves(series, fmt::format("{}", array.index(inner, 0)),
                           fmt::format("{}", array.index(inner, array.columns() - 1)));
    std::string caption = fmt::format("{}{}", title, of_averages(array.columns()));
    constexpr std::string_view names[] = {"blue", "red", "green", "orange", "violet", "teal"};
    if (series.size() > 1)
        for (std::size_t i = 0; i < series.size(); ++i)
            caption += fmt::format("{} row {} {}", i == 0 ? ":" : ",", i, names[i]);
    if (array.rows() > most_series) caption += fmt::format("; {} more rows are not drawn", array.rows() - most_series);
    figure.set_caption(std::move(caption));
    rich.svg = figure.svg();
    return true;
}

}  // namespace cudash::view
