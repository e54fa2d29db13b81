#include "repl/grade/results/summary.h"

#include <fmt/format.h>

#include "repl/grade/course/csv.h"
#include "repl/view/markup.h"

namespace cudash::grade {
namespace {

using view::escaped;

/// The names of the tests, off the first grade that has them.
std::vector<std::string> test_names(const std::vector<Grade>& grades) {
    std::vector<std::string> names;
    for (const Grade& grade : grades) {
        if (grade.is_fault()) continue;
        for (const Test& test : grade.tests) names.push_back(test.name);
        break;
    }
    return names;
}

}  // namespace

std::string as_csv(const std::vector<std::string>& names, const std::vector<Grade>& grades) {
    std::string text = "submission,points,max_points,status";
    for (const std::string& name : test_names(grades)) text += "," + csv_field(name);
    text += "\n";
    for (std::size_t i = 0; i < grades.size(); ++i) {
        const Grade& grade = grades[i];
        text += csv_field(names[i]);
        if (grade.is_fault()) {
            text += ",,,grader_fault\n";
            continue;
        }
        text += fmt::format(",{},{},{}", points_text(grade.points()), points_text(grade.max_points()),
                            grade.passed() ? "passed" : "failed");
        for (const Test& test : grade.tests) text += "," + points_text(test.points);
        text += "\n";
    }
    return text;
}

std::string as_html(const std::vector<std::string>& names, const std::vector<Grade>& grades) {
    const std::string title = grades.empty() ? "grades" : escaped(grades.front().assignment);
    std::string text = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n<style>"
        "body{{font:15px sans-serif;margin:2em}}table{{border-collapse:collapse}}"
        "td,th{{border:1px solid #bbb;padding:.3em .6em;text-align:left}}"
        ".passed{{background:#dff3df}}.failed{{background:#f8dcdc}}.skipped{{background:#eee}}"
        "pre{{white-space:pre-wrap;margin:.2em 0}}</style></head>\n<body><h1>{0}</h1>\n<table>\n<tr><th>submission</th>"
        "<th>points</th>",
        title);
    for (const std::string& name : test_names(grades)) text += "<th>" + escaped(name) + "</th>";
    text += "</tr>\n";
    for (std::size_t i = 0; i < grades.size(); ++i) {
        const Grade& grade = grades[i];
        text += "<tr><td>" + escaped(names[i]) + "</td>";
        if (grade.is_fault()) {
            text += "<td>no mark: the grader could not do its work<pre>" + escaped(grade.fault) + "</pre></td></tr>\n";
            continue;
        }
        text += fmt::format("<td>{} of {}</td>", points_text(grade.points()), points_text(grade.max_points()));
        for (const Test& test : grade.tests) {
            const auto status = status_names[static_cast<std::size_t>(test.status)];
            const std::string more = explain(test);
            text += fmt::format("<td class=\"{}\">{}", status, points_text(test.points));
            if (!more.empty()) text += "<details><summary>why</summary><pre>" + escaped(more) + "</pre></details>";
            text += "</td>";
        }
        text += "</tr>\n";
    }
    return text + "</table></body></html>\n";
}

}  // namespace cudash::grade
