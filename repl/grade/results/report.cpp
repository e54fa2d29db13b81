#include "repl/grade/results/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "repl/view/markup.h"

namespace cudash::grade {
namespace {

constexpr std::size_t bins = 10, most_rows = 15;

struct Item {
    std::string name;
    double max_points = 0;
    std::size_t passed = 0, failed = 0, skipped = 0;
    double mean = 0;
    /// Correlation of the item's points with those of the others: near 0 or below, it does not tell good from bad.
    std::optional<double> discrimination;
};

/// What is counted, the most frequent first.
using Counts = std::vector<std::pair<std::string, std::size_t>>;

struct Statistics {
    std::size_t graded = 0, without_mark = 0;
    double mean = 0, median = 0, deviation = 0, max_points = 0;
    std::vector<std::size_t> histogram = std::vector<std::size_t>(bins);
    std::vector<Item> items;
    Counts findings, replies;
    std::vector<std::pair<std::string, std::uint64_t>> slowest;   ///< names, milliseconds
    std::vector<std::pair<std::string, std::string>> to_look_at;  ///< names, why
};

double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// Pearson's; nullopt where one side is always the same.
std::optional<double> correlation(const std::vector<double>& one, const std::vector<double>& other) {
    const double mean_one = mean_of(one), mean_other = mean_of(other);
    double both = 0, square_one = 0, square_other = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
        both += (one[i] - mean_one) * (other[i] - mean_other);
        square_one += (one[i] - mean_one) * (one[i] - mean_one);
        square_other += (other[i] - mean_other) * (other[i] - mean_other);
    }
    if (square_one <= 0 || square_other <= 0) return std::nullopt;
    return both / std::sqrt(square_one * square_other);
}

Counts sorted(const std::map<std::string, std::size_t>& counts) {
    Counts result(counts.begin(), counts.end());
    std::ranges::stable_sort(result, [](const auto& one, const auto& other) { return one.second > other.second; });
    if (result.size() > most_rows) result.resize(most_rows);
    return result;
}

std::vector<Item> items_of(const std::vector<const Grade*>& grades) {
    std::vector<Item> items;
    std::vector<std::string> names;
    for (const Grade* grade : grades)
        for (const Test& test : grade->tests)
            if (std::ranges::find(names, test.name) == names.end()) names.push_back(test.name);
    for (const std::string& name : names) {
        Item item;
        item.name = name;
        std::vector<double> points, rest;
        for (const Grade* grade : grades) {
            const auto test = std::ranges::find(grade->tests, name, &Test::name);
            if (test == grade->tests.end()) continue;
            item.max_points = std::max(item.max_points, test->max_points);
            item.passed += test->status == Test::Status::passed;
            item.failed += test->status == Test::Status::failed;
            item.skipped += test->status == Test::Status::skipped;
            points.push_back(test->points);
            rest.push_back(grade->points() - test->points);
        }
        item.mean = mean_of(points);
        item.discrimination = correlation(points, rest);
        items.push_back(std::move(item));
    }
    return items;
}

/// Of "error[code]: ..." and "warning[code]: ...".
std::vector<std::string> codes_in(std::string_view findings) {
    std::vector<std::string> codes;
    for (std::size_t at = 0; (at = findings.find('[', at)) != std::string_view::npos; ++at) {
        const std::string_view before = findings.substr(0, at), rest = findings.substr(at + 1);
        const std::size_t end = rest.find("]:");
        if (end != std::string_view::npos && (before.ends_with("error") || before.ends_with("warning")))
            codes.emplace_back(rest.substr(0, end));
    }
    return codes;
}

Statistics statistics_of(const ClassReport& report) {
    Statistics result;
    std::vector<const Grade*> graded;
    std::vector<double> points;
    std::map<std::string, std::size_t> findings, replies;
    const auto look_at = [&](std::size_t i, std::string why) {
        result.to_look_at.emplace_back(report.names[i], std::move(why));
    };
    for (std::size_t i = 0; i < report.grades.size(); ++i) {
        const Grade& grade = report.grades[i];
        if (grade.is_fault()) {
            ++result.without_mark;
            look_at(i, "no mark: the grader could not do its work");
            continue;
        }
        graded.push_back(&grade);
        points.push_back(grade.points());
        result.max_points = std::max(result.max_points, grade.max_points());
        result.slowest.emplace_back(report.names[i], grade.milliseconds);
        if (!grade.reply.empty()) ++replies[grade.reply];
        std::set<std::string> seen;
        for (const Test& test : grade.tests)
            for (const std::string& code : codes_in(test.findings)) seen.insert(code);
        for (const std::string& code : seen) ++findings[code];
        if (!grade.tests.empty() && grade.tests.front().status != Test::Status::passed)
            look_at(i, "does not compile: " + grade.tests.front().reason);
        else if (grade.points() == 0 && grade.max_points() > 0)
            look_at(i, "compiles, and has 0 points");
    }
    for (const SimilarPair& pair : report.similarity.pairs)
        result.to_look_at.emplace_back(report.sources[pair.first].name + " and " + report.sources[pair.second].name,
                                       fmt::format("similar: {:.0f}%", pair.share * 100));
    result.graded = graded.size();
    result.mean = mean_of(points);
    for (const double each : points) {
        result.deviation += (each - result.mean) * (each - result.mean);
        const double part = result.max_points > 0 ? each / result.max_points : 0;
        ++result.histogram[std::min(bins - 1, static_cast<std::size_t>(std::max(0.0, part) * bins))];
    }
    result.deviation = points.empty() ? 0 : std::sqrt(result.deviation / static_cast<double>(points.size()));
    std::ranges::sort(points);
    if (!points.empty()) result.median = (points[points.size() / 2] + points[(points.size() - 1) / 2]) / 2;
    result.items = items_of(graded);
    result.findings = sorted(findings);
    result.replies = sorted(replies);
    std::ranges::stable_sort(result.slowest,
                             [](const auto& one, const auto& other) { return one.second > other.second; });
    if (result.slowest.size() > 5) result.slowest.resize(5);
    return result;
}

std::string bin_name(const Statistics& statistics, std::size_t bin) {
    const double width = statistics.max_points / bins;
    return fmt::format("{:g} to {:g}", width * static_cast<double>(bin), width * static_cast<double>(bin + 1));
}

std::string discrimination_text(const Item& item) {
    return item.discrimination ? fmt::format("{:.2f}", *item.discrimination) : "-";
}

std::string overview(const Statistics& statistics) {
    return fmt::format(
        "{} submissions graded, {} without a mark; mean {:.2f} of {:g}, median {:g}, standard deviation {:.2f}",
        statistics.graded, statistics.without_mark, statistics.mean, statistics.max_points, statistics.median,
        statistics.deviation);
}

std::string table_of(const char* title, const char* head, const std::vector<std::vector<std::string>>& rows) {
    if (rows.empty()) return {};
    std::string text = fmt::format("<h2>{}</h2>\n<table>\n<tr>{}</tr>\n", title, head);
    for (const auto& row : rows) {
        text += "<tr>";
        for (const std::string& field : row) text += "<td>" + view::escaped(field) + "</td>";
        text += "</tr>\n";
    }
    return text + "</table>\n";
}

std::vector<std::vector<std::string>> rows_of(const Counts& counts) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, count] : counts) rows.push_back({std::to_string(count), name});
    return rows;
}

}  // namespace

std::string report_as_text(const ClassReport& report) {
    const Statistics statistics = statistics_of(report);
    std::string text = fmt::format("{}\n{}\n\n", report.title, overview(statistics));
    const std::size_t most = std::max<std::size_t>(1, *std::ranges::max_element(statistics.histogram));
    for (std::size_t i = 0; i < bins; ++i)
        text += fmt::format("{:>14}  {:<40} {}\n", bin_name(statistics, i),
                            std::string(statistics.histogram[i] * 40 / most, '#'), statistics.histogram[i]);
    text += fmt::format("\n{:>6} {:>6} {:>7} {:>11} {:>14}  check\n", "passed", "failed", "skipped", "mean",
                        "discrimination");
    for (const Item& item : statistics.items)
        text += fmt::format("{:>6} {:>6} {:>7} {:>11} {:>14}  {}\n", item.passed, item.failed, item.skipped,
                            fmt::format("{:.2f} of {:g}", item.mean, item.max_points), discrimination_text(item),
                            item.name);
    const auto list = [&](const char* title, const Counts& counts) {
        if (!counts.empty()) text += fmt::format("\n{}\n", title);
        for (const auto& [name, count] : counts) text += fmt::format("{:>6}  {}\n", count, name);
    };
    list("findings, by submissions", statistics.findings);
    list("replies", statistics.replies);
    if (!statistics.to_look_at.empty()) text += "\nto look at\n";
    for (const auto& [name, why] : statistics.to_look_at) text += fmt::format("    {}: {}\n", name, why);
    return text;
}

std::string report_as_html(const ClassReport& report) {
    const Statistics statistics = statistics_of(report);
    std::string text = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n<style>"
        "body{{font:15px sans-serif;margin:2em;max-width:70em}}table{{border-collapse:collapse}}"
        "td,th{{border:1px solid #bbb;padding:.3em .6em;text-align:left}}"
        ".bar{{fill:#4c78a8}}</style></head>\n<body><h1>{0}</h1>\n<p>{1}</p>\n",
        view::escaped(report.title), overview(statistics));
    constexpr std::size_t width = 60, height = 160;
    const std::size_t most = std::max<std::size_t>(1, *std::ranges::max_element(statistics.histogram));
    text += fmt::format(
        "<h2>Points</h2>\n<svg width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"histogram of points\">\n",
        width * bins, height + 50);
    for (std::size_t i = 0; i < bins; ++i) {
        const std::size_t size = statistics.histogram[i] * height / most;
        text += fmt::format(
            "<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/><text x=\"{}\" y=\"{}\" "
            "font-size=\"12\">{}</text>"
            "<text x=\"{}\" y=\"{}\" font-size=\"10\">{}</text>\n",
            i * width + 4, 20 + height - size, width - 8, size, i * width + 22, 15 + height - size,
            statistics.histogram[i], i * width + 6, height + 36, bin_name(statistics, i));
    }
    text += "</svg>\n";
    std::vector<std::vector<std::string>> rows;
    for (const Item& item : statistics.items)
        rows.push_back({item.name, std::to_string(item.passed), std::to_string(item.failed),
                        std::to_string(item.skipped), fmt::format("{:.2f} of {:g}", item.mean, item.max_points),
                        discrimination_text(item)});
    text += table_of("Checks",
                     "<th>check</th><th>passed</th><th>failed</th><th>skipped</th><th>mean</th>"
                     "<th title=\"correlation with the points of all other checks\">discrimination</th>",
                     rows);
    text += table_of("Findings", "<th>submissions</th><th>finding</th>", rows_of(statistics.findings));
    text += table_of("Replies", "<th>submissions</th><th>reply</th>", rows_of(statistics.replies));
    rows.clear();
    for (const auto& [name, milliseconds] : statistics.slowest)
        rows.push_back({name, fmt::format("{:.1f} s", static_cast<double>(milliseconds) / 1000)});
    text += table_of("Slowest", "<th>submission</th><th>time</th>", rows);
    rows.clear();
    for (const auto& [name, why] : statistics.to_look_at) rows.push_back({name, why});
    text += table_of("To look at", "<th>submission</th><th>why</th>", rows);
    return text + "</body></html>\n";
}

}  // namespace cudash::grade
