#include "repl/grade/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cudash::grade {
namespace {

/// To a thousandth, so that no sum ends in 0.30000000000000004.
double rounded(double points) {
    return std::round(points * 1000) / 1000;
}

std::string indented(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        result += fmt::format("    {}\n", text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

}  // namespace

double Grade::points() const {
    double sum = 0;
    for (const Test& test : tests) sum += test.points;
    return rounded(sum);
}

double Grade::max_points() const {
    double sum = 0;
    for (const Test& test : tests) sum += test.max_points;
    return rounded(sum);
}

bool Grade::passed() const {
    if (end != End::graded) return false;
    const bool has_points = std::ranges::any_of(tests, [](const Test& test) { return test.max_points > 0; });
    return std::ranges::all_of(tests, [&](const Test& test) {
        return test.status == Test::Status::passed || (has_points && test.max_points == 0);
    });
}

std::string explain(const Test& test) {
    if (test.status == Test::Status::passed) return {};
    std::string text = test.reason.empty() ? "" : test.reason + "\n";
    if (!test.expected.empty()) text += "expected:\n" + indented(test.expected);
    if (!test.actual.empty()) text += "came:\n" + indented(test.actual);
    text += test.findings;
    if (!test.findings.empty() && !test.findings.ends_with('\n')) text += '\n';
    if (!test.why.empty()) text += test.why + (test.why.ends_with('\n') ? "" : "\n");
    return text;
}

std::string public_explanation(const Test& test) {
    if (test.visibility == Visibility::visible) return explain(test);
    return test.status == Test::Status::passed ? "" : "This test is not shown to you.\n";
}

std::string points_text(double points) {
    return fmt::format("{:g}", rounded(points));
}

}  // namespace cudash::grade
