#include "repl/grade/course/course.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "repl/grade/course/time.h"
#include "repl/grade/read_file.h"
#include "repl/grade/toml_text.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;

double number_up_to(TomlTable& table, std::string_view key, double most) {
    const double value = table.number(key).value_or(0);
    if (value < 0 || value > most) table.problem(key, fmt::format("`{}` is from 0 to {:g}", key, most));
    return value;
}

}  // namespace

const Student* Course::find(std::string_view id) const {
    const auto found = std::ranges::find(roster, id, &Student::id);
    return found == roster.end() ? nullptr : &*found;
}

Course load_course(const std::string& path, std::vector<Diagnostic>& problems) {
    Course course;
    std::string why;
    const auto text = read_file(path, why);
    if (!text) {
        problems.push_back(error("bad-course", fmt::format("{} can't be read: {}", path, why)));
        return course;
    }
    const TomlOrigin origin{path, 1, &problems, "bad-course"};
    const auto parsed = parse_toml(*text, origin);
    if (!parsed) return course;
    TomlTable root(*parsed, origin);
    const auto beside = [&](const std::string& name) { return (fs::path(path).parent_path() / name).string(); };
    if (const auto key = root.text("key")) course.key = beside(*key);
    if (const auto name = root.text("roster")) {
        course.has_roster = true;
        const std::string roster_path = beside(*name);
        if (const auto roster = read_file(roster_path, why))
            course.roster = parse_roster(*roster, roster_path, problems);
        else
            root.problem("roster", fmt::format("{} can't be read: {}", roster_path, why));
    }
    if (const auto deadline = root.text("deadline")) {
        course.deadline = parse_moment(*deadline);
        if (!course.deadline)
            root.problem("deadline", fmt::format("expected a moment with its time zone, got \"{}\"", *deadline),
                         "deadline = \"2026-11-29T23:59:00+01:00\"");
    }
    course.grace_minutes = number_up_to(root, "grace_minutes", 100000);
    course.percent_a_day = number_up_to(root, "percent_a_day", 100);
    course.most_days_late = root.number("most_days_late");
    const std::string keep = root.text("keep").value_or("last");
    if (keep != "last" && keep != "best") root.problem("keep", fmt::format("`keep` is last or best, not {}", keep));
    course.keeps_best = keep == "best";
    if (!course.deadline && (root.has("grace_minutes") || root.has("percent_a_day") || root.has("most_days_late")))
        root.problem({}, "what late submissions lose needs a `deadline`");
    root.finish();
    return course;
}

}  // namespace cudash::grade
