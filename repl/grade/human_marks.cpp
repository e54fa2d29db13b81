#include "repl/grade/human_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "repl/grade/toml_text.h"

namespace cudash::grade {
namespace {

/// A name that must be one of `names`.
std::string name_among(TomlTable& table, std::string_view key, const std::vector<std::string_view>& names) {
    const std::string name = table.required_text(key);
    if (!name.empty() && std::ranges::find(names, name) == names.end())
        table.problem(key, fmt::format("there is no {} \"{}\"", key, name), hint_among(name, names));
    return name;
}

double points_in(TomlTable& table) {
    const auto points = table.number("points");
    if (!points) table.problem("points", "`points` is missing");
    if (points && *points < 0) table.problem("points", "`points` can't be below 0");
    return points.value_or(0);
}

}  // namespace

Grade HumanMarks::apply(const Grade& automatic, std::string_view entry, const std::vector<Rubric>& rubric) const {
    Grade grade = automatic;
    if (grade.is_fault()) return grade;
    for (const Rubric& part : rubric) {
        Test test;
        test.name = part.name;
        test.max_points = part.points;
        test.reason = "This part is marked by people, and not marked yet.";
        for (const HumanMark& mark : marks) {
            if (mark.submission != entry || mark.part != part.name) continue;
            test.points = mark.points;
            test.status = mark.points >= part.points ? Test::Status::passed : Test::Status::failed;
            test.reason = mark.comment.empty() ? fmt::format("marked by {}", mark.by)
                                               : fmt::format("{} ({})", mark.comment, mark.by);
        }
        grade.tests.push_back(std::move(test));
    }
    for (const Override& change : overrides) {
        if (change.submission != entry) continue;
        const auto test = std::ranges::find(grade.tests, change.test, &Test::name);
        const std::string words =
            fmt::format("changed to {} points by {}: {}", points_text(change.points), change.by, change.reason);
        if (test != grade.tests.end()) {
            test->points = change.points;
            test->status = change.points >= test->max_points ? Test::Status::passed : Test::Status::failed;
            test->reason = words;
            test->why.clear();
        } else if (change.test.empty()) {
            Test all;
            all.name = "override";
            all.points = change.points - grade.points();
            all.status = Test::Status::failed;
            all.reason = words;
            grade.tests.push_back(std::move(all));
        }
    }
    return grade;
}

HumanMarks parse_human_marks(const std::string& path, std::string_view text, const Checks& checks,
                             const std::vector<std::string>& entries, std::vector<Diagnostic>& problems) {
    HumanMarks result;
    const TomlOrigin origin{path, 1, &problems, "bad-marks"};
    const auto parsed = parse_toml(text, origin);
    if (!parsed) return result;
    TomlTable root(*parsed, origin);
    const std::vector<std::string_view> submissions(entries.begin(), entries.end());
    std::vector<std::string_view> parts, tests = {compiles};
    for (const Rubric& part : checks.rubric) parts.push_back(part.name);
    for (const Check& check : checks.checks) tests.push_back(check.name);
    tests.insert(tests.end(), parts.begin(), parts.end());
    std::set<std::pair<std::string, std::string>> marked, changed;
    for (TomlTable& table : root.tables("mark")) {
        HumanMark mark;
        mark.submission = name_among(table, "submission", submissions);
        mark.part = name_among(table, "part", parts);
        mark.points = points_in(table);
        mark.comment = table.text("comment").value_or("");
        mark.by = table.required_text("by");
        table.finish();
        const auto part = std::ranges::find(checks.rubric, mark.part, &Rubric::name);
        if (part != checks.rubric.end() && mark.points > part->points)
            table.problem("points",
                          fmt::format("\"{}\" gives {} points at most", mark.part, points_text(part->points)));
        if (!marked.emplace(mark.submission, mark.part).second)
            table.problem({}, fmt::format("\"{}\" of {} is marked twice", mark.part, mark.submission),
                          "keep one of both");
        result.marks.push_back(std::move(mark));
    }
    for (TomlTable& table : root.tables("override")) {
        Override change;
        change.submission = name_among(table, "submission", submissions);
        if (table.has("test")) change.test = name_among(table, "test", tests);
        change.points = points_in(table);
        change.reason = table.required_text("reason");
        change.by = table.required_text("by");
        table.finish();
        if (!changed.emplace(change.submission, change.test).second)
            table.problem({}, fmt::format("{} is changed twice in the same place", change.submission),
                          "keep one of both");
        result.overrides.push_back(std::move(change));
    }
    root.finish();
    // The points of all come last: they are what is left, whatever the tests give.
    std::ranges::stable_sort(result.overrides, {}, [](const Override& change) { return change.test.empty(); });
    return result;
}

}  // namespace cudash::grade
