#include "repl/grade/audit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "repl/grade/course/time.h"
#include "repl/grade/names.h"
#include "repl/grade/read_file.h"
#include "repl/json.h"
#include "repl/shell/write_file.h"

namespace cudash::grade {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_marks = 256 << 20;

std::string user_name() {
    const passwd* entry = getpwuid(getuid());
    return entry ? shown_name(entry->pw_name) : std::to_string(getuid());
}

std::string mark_text(const KnownMark& mark) {
    return mark.is_fault ? "no mark" : fmt::format("{} of {}", points_text(mark.points), points_text(mark.max_points));
}

KnownMarks read_known(const std::string& path) {
    KnownMarks known;
    std::string ignored;
    const auto text = read_file(path, ignored, most_marks);
    const json read = text ? parse_ordered_json(*text) : json();
    if (!read.is_object()) return known;
    try {
        for (const auto& [name, each] : read.items()) {
            KnownMark mark{each.at("fault"), each.at("points"), each.at("max_points"), {}};
            for (const auto& [test, points] : each.at("tests").items()) mark.tests[test] = points;
            known[name] = std::move(mark);
        }
    } catch (const json::exception&) {
        // The log still has them; the marks of now are new ones then.
        known.clear();
    }
    return known;
}

/// Adds whole lines at the end; what was there before is never touched.
std::string append(const std::string& path, std::string_view text) {
    const worker::UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!file || write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        fsync(file.get()) != 0)
        return fmt::format("{}: {}", path, std::strerror(errno));
    return {};
}

}  // namespace

KnownMark known_mark(const Grade& grade) {
    KnownMark mark{grade.is_fault(), 0, 0, {}};
    if (mark.is_fault) return mark;
    mark.points = grade.points();
    mark.max_points = grade.max_points();
    for (const Test& test : grade.tests) mark.tests[test.name] = test.points;
    return mark;
}

std::string difference_of(const KnownMark& before, const KnownMark& now) {
    std::string tests;
    const auto add = [&](const std::string& name, const std::string& from, const std::string& to) {
        tests += fmt::format("{}\"{}\" {} -> {}", tests.empty() ? "" : ", ", name, from, to);
    };
    for (const auto& [name, points] : now.tests) {
        const auto old = before.tests.find(name);
        if (old == before.tests.end())
            add(name, "nothing", points_text(points));
        else if (points_text(old->second) != points_text(points))
            add(name, points_text(old->second), points_text(points));
    }
    for (const auto& [name, points] : before.tests)
        if (!now.tests.contains(name)) add(name, points_text(points), "nothing");
    if (mark_text(before) == mark_text(now) && tests.empty()) return {};
    return fmt::format("{} -> {}{}{}", mark_text(before), mark_text(now), tests.empty() ? "" : ": ", tests);
}

std::string keep_account(const ClassFolder& folder, const std::vector<std::string>& names,
                         const std::vector<Grade>& grades) {
    const std::string path = folder.file("marks.json");
    const KnownMarks before = read_known(path);
    const std::string head = fmt::format("{} {}: ", moment_text(std::time(nullptr)), user_name());
    std::string lines;
    json now = json::object();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const KnownMark mark = known_mark(grades[i]);
        now[names[i]] = {
            {"fault", mark.is_fault}, {"points", mark.points}, {"max_points", mark.max_points}, {"tests", mark.tests}};
        const auto old = before.find(names[i]);
        const std::string change = old == before.end() ? mark_text(mark) + " (new)" : difference_of(old->second, mark);
        if (!change.empty()) lines += fmt::format("{}{}: {}\n", head, names[i], change);
    }
    for (const auto& [name, mark] : before)
        if (!now.contains(name))
            lines += fmt::format("{}{}: {} -> not handed in any more\n", head, name, mark_text(mark));
    if (lines.empty()) return {};
    // The log first: a mark that is not in it is new again, and none is missing.
    if (std::string problem = append(folder.file("audit.log"), lines); !problem.empty()) return problem;
    const std::string problem = shell::write_file(path, json_text(now, 1) + "\n");
    return problem.empty() ? "" : fmt::format("{}: {}", path, problem);
}

}  // namespace cudash::grade
