#include "repl/grade/verify_assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <thread>

#include "repl/grade/assignment.h"
#include "repl/grade/mutants.h"
#include "repl/grade/read_file.h"
#include "repl/grade/submission_header.h"
#include "repl/grade/verify_warnings.h"
#include "repl/view/diagnostic_printer.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;

constexpr std::array kinds = {"accepted", "wrong", "race", "slow", "crash", "tamper"};

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
    return text.empty() ? "nothing" : text;
}

/// What is wrong with a grade, as sentences; empty: it is as expected.
std::string difference(const Grade& grade, const Expectation& expected, bool accepted) {
    if (!expected.problem.empty()) return expected.problem;
    if (grade.is_fault()) return "the grader could not do its work: " + grade.fault;
    std::vector<std::string> failed;
    const Test* first = nullptr;
    for (const Test& test : grade.tests) {
        if (test.status != Test::Status::failed) continue;
        if (!first) first = &test;
        failed.push_back(test.name);
    }
    const double points = expected.points.value_or(accepted ? grade.max_points() : -1);
    if (points < 0) return "it does not say what it should get: `// POINTS: 0`";
    std::string text;
    if (points_text(grade.points()) != points_text(points))
        text += fmt::format("it got {} points, not {}; ", points_text(grade.points()), points_text(points));
    if (failed != expected.failed)
        text += fmt::format("what failed is {}, not {}; ", joined(failed), joined(expected.failed));
    if (grade.reply.find(expected.reply) == std::string::npos)
        text += fmt::format("its reply is \"{}\"; ", grade.reply);
    if (!expected.reason.empty() && (!first || explain(*first).find(expected.reason) == std::string::npos))
        text += fmt::format("it is not told \"{}\"; ", expected.reason);
    if (expected.is_attack && std::ranges::any_of(grade.tests, [](const Test& test) {
            return test.actual.find("LEAK") != std::string::npos;
        }))
        text += "the attack gets through; ";
    if (!text.empty() && first) text += "\n" + explain(*first);
    return text;
}

/// `// EQUAL: name of a mutant` in the solution's header: it is as good as the solution, so full marks are right.
bool is_equal(const std::string& solution, std::string_view mutant) {
    return std::ranges::any_of(submission_header(solution), [&](const HeaderLine& line) {
        return line.word == "EQUAL" && line.value.starts_with(mutant);
    });
}

}  // namespace

std::vector<std::string> submission_kinds() {
    return {kinds.begin(), kinds.end()};
}

Expectation read_expectation(const std::string& text, std::string_view path) {
    Expectation result;
    const std::vector<HeaderLine> header = submission_header(text);
    if (const auto unknown = unknown_word(header, {"POINTS", "FAILS", "REPLY", "SAYS", "ATTACK", "STOPS"}, path))
        result.problem = view::print(*unknown, {}, {});
    for (const auto& [word, value, line] : header) {
        if (word == "POINTS") {
            double points = 0;
            const auto [stop, problem] = std::from_chars(value.data(), value.data() + value.size(), points);
            if (problem != std::errc() || stop != value.data() + value.size())
                result.problem = fmt::format("`{}` is no number of points", value);
            result.points = points;
        } else if (word == "FAILS") {
            result.failed.emplace_back(value);
        } else if (word == "REPLY") {
            result.reply = value;
        } else if (word == "SAYS") {
            result.reason = value;
        } else if (word == "ATTACK") {
            result.is_attack = true;
        }
    }
    return result;
}

int verify_assignments(const std::vector<std::string>& folders, const worker::Settings& worker, unsigned jobs,
                       const std::vector<std::string>& without, const view::Display& display) {
    int passed = 0, failed = 0;
    for (const std::string& folder : folders) {
        std::vector<Diagnostic> problems;
        Grader grader(load_assignment(folder, problems), worker, without);
        // Own inputs are made of some key: it is the same on each run.
        if (grader.assignment().checks.own_inputs) grader.use(CourseKey({}, {}));
        if (problems.empty()) grader.prepare(problems);
        for (const Diagnostic& problem : problems) display.show(problem, {});
        for (const Diagnostic& warning : warnings_about(grader.assignment().checks)) display.show(warning, {});
        if (!problems.empty()) {
            ++failed;
            continue;
        }
        struct Case {
            std::string name, path, text, wrong;
            bool accepted = false, is_mutant = false;
            unsigned reply_line = 0;
            std::string student{};
        };
        std::vector<Case> cases;
        const auto add = [&](const fs::path& path, bool accepted, std::optional<std::string> wrong = {}) {
            std::string why;
            auto text = read_file(path.string(), why);
            cases.push_back({path.lexically_relative(folder).string(), path.string(), text.value_or(""),
                             text ? wrong.value_or("") : why, accepted, false, 0});
        };
        for (const char* kind : kinds) {
            std::vector<fs::path> files;
            std::error_code none;
            for (const auto& each : fs::directory_iterator(fs::path(folder) / "submissions" / kind, none))
                if (each.path().extension() == ".cu") files.push_back(each.path());
            std::ranges::sort(files);
            for (const fs::path& file : files) add(file, std::string_view(kind) == "accepted");
        }
        const std::string& solution = grader.assignment().solution;
        if (without.empty())
            for (Mutant& mutant : mutants_of(solution))
                if (!is_equal(solution, mutant.name))
                    cases.push_back({fmt::format("solution.cu, {}", mutant.name),
                                     "solution.cu",
                                     std::move(mutant.text),
                                     {},
                                     false,
                                     true,
                                     0});
        // Whatever values a student has, the solution is right.
        if (grader.assignment().checks.own_inputs)
            for (const char* student : {"first", "second", "third"})
                cases.push_back({fmt::format("solution.cu for the student {}", student),
                                 "solution.cu",
                                 solution,
                                 {},
                                 true,
                                 false,
                                 0,
                                 student});
        std::atomic<std::size_t> next = 0;
        {
            std::vector<std::jthread> threads;
            for (unsigned k = 0; k < std::max(1u, jobs); ++k)
                threads.emplace_back([&] {
                    for (std::size_t i = next++; i < cases.size(); i = next++) {
                        Case& each = cases[i];
                        if (!each.wrong.empty()) continue;
                        const Grade grade =
                            grader.grade({fs::path(each.path).filename().string(), each.text}, each.student);
                        if (!each.student.empty()) {
                            if (!grade.passed())
                                each.wrong = fmt::format("it gets {} of {} points", points_text(grade.points()),
                                                         points_text(grade.max_points()));
                            continue;
                        }
                        if (each.is_mutant) {
                            if (grade.is_fault())
                                each.wrong = "the grader could not do its work: " + grade.fault;
                            else if (grade.passed())
                                each.wrong = "this mutant gets full marks, so no check notices the mistake";
                            continue;
                        }
                        each.reply_line = grade.reply_line;
                        each.wrong = difference(grade, read_expectation(each.text, each.name), each.accepted);
                    }
                });
        }
        for (const Case& each : cases) {
            if (each.wrong.empty()) {
                ++passed;
                continue;
            }
            ++failed;
            display.results(fmt::format("{}/{}: {}\n", folder, each.name, each.wrong));
        }
        // A reply that no stored submission gets may be one that can't be given at all.
        for (const Reply& reply : grader.assignment().checks.replies) {
            const bool is_given = std::ranges::find(cases, reply.line, &Case::reply_line) != cases.end();
            is_given ? ++passed : ++failed;
            if (!is_given)
                display.results(
                    fmt::format("{}/assignment.toml:{}: no stored submission gets this reply\n", folder, reply.line));
        }
        // The starter compiles, and is not enough.
        std::string why;
        if (const auto starter = read_file((fs::path(folder) / "starter.cu").string(), why)) {
            const Grade grade = grader.grade({"starter.cu", *starter});
            const bool compiles = !grade.tests.empty() && grade.tests.front().status == Test::Status::passed;
            const bool right = grade.end == Grade::End::graded && compiles && !grade.passed();
            right ? ++passed : ++failed;
            if (!right)
                display.results(fmt::format("{}/starter.cu: {}\n", folder,
                                            grade.passed() ? "it gets full marks" : "it does not compile"));
        }
    }
    display.results(fmt::format("{} passed, {} failed\n", passed, failed));
    return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace cudash::grade
