#include "repl/grade/verify_assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <memory>
#include <thread>

#include "repl/grade/assignment.h"
#include "repl/grade/mutants.h"
#include "repl/grade/read_file.h"
#include "repl/grade/submission_header.h"
#include "repl/grade/verify_warnings.h"
#include "repl/shell/write_file.h"
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

/// Something whose grade is known beforehand.
struct Case {
    enum class Kind : std::uint8_t {
        stored,   ///< its header says what it gets
        mutant,   ///< not full marks
        student,  ///< the solution, with one student's values: full marks
        starter   ///< it compiles, and gets less than full marks
    };
    Kind kind = Kind::stored;
    std::string name;  ///< below the assignment's folder
    std::string text;
    std::string wrong{};  ///< empty: as it should be
    std::string student{};
    unsigned reply_line = 0;
};

/// An assignment with its cases. There are none if something is wrong with it.
struct Suite {
    Suite(std::string path, const Verification& how)
        : folder(std::move(path)), grader(load_assignment(folder, problems), how.worker, how.without) {
        // Own inputs are made of some key: it is the same on each run.
        if (grader.assignment().checks.own_inputs) grader.use(CourseKey({}, {}));
        if (problems.empty()) grader.prepare(problems);
        if (!problems.empty()) return;
        add_stored();
        if (how.without.empty()) add_mutants();
        // Whatever values a student has, the solution is right.
        if (grader.assignment().checks.own_inputs)
            for (const std::string student : {"first", "second", "third"})
                cases.push_back({Case::Kind::student,
                                 "solution.cu for the student " + student,
                                 grader.assignment().solution,
                                 {},
                                 student});
        std::string why;
        if (auto starter = read_file((fs::path(folder) / "starter.cu").string(), why))
            cases.push_back({Case::Kind::starter, "starter.cu", std::move(*starter)});
    }

    std::string folder;
    std::vector<Diagnostic> problems;
    Grader grader;
    std::vector<Case> cases;

private:
    void add_stored() {
        for (const char* kind : kinds) {
            std::vector<fs::path> files;
            std::error_code none;
            for (const auto& each : fs::directory_iterator(fs::path(folder) / "submissions" / kind, none))
                if (each.path().extension() == ".cu") files.push_back(each.path());
            std::ranges::sort(files);
            for (const fs::path& file : files) {
                std::string why;
                const auto text = read_file(file.string(), why);
                cases.push_back({Case::Kind::stored, file.lexically_relative(folder).string(), text.value_or(""), why});
            }
        }
    }

    void add_mutants() {
        const std::string& solution = grader.assignment().solution;
        for (Mutant& mutant : mutants_of(solution))
            if (!is_equal(solution, mutant.name))
                cases.push_back(
                    {Case::Kind::mutant, fmt::format("solution.cu, {}", mutant.name), std::move(mutant.text)});
    }
};

/// Runs `work(0)` to `work(count - 1)`, some at a time.
template <class Work>
void in_parallel(unsigned jobs, std::size_t count, const Work& work) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> threads;
    for (unsigned k = 0; k < std::max(1u, jobs); ++k)
        threads.emplace_back([&] {
            for (std::size_t i = next++; i < count; i = next++) work(i);
        });
}

/// The whole result, where the author wants to read it. Empty, or why it can't be written.
std::string keep_result(const Suite& suite, const Verification& how, const Case& each, const Grade& grade) {
    const fs::path path =
        fs::path(how.output) / suite.grader.assignment().name / fs::path(each.name).lexically_relative("submissions");
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (failed) return failed.message();
    return shell::write_file(path.string() + fs::path(how.format->file).extension().string(),
                             how.format->write(grade, {}));
}

void run_case(const Suite& suite, const Verification& how, Case& each) {
    if (!each.wrong.empty()) return;
    const std::string file = each.kind == Case::Kind::stored    ? fs::path(each.name).filename().string()
                             : each.kind == Case::Kind::starter ? "starter.cu"
                                                                : "solution.cu";
    const Grade grade = suite.grader.grade({file, each.text}, each.student);
    switch (each.kind) {
        case Case::Kind::stored: {
            const bool accepted = each.name.starts_with("submissions/accepted/");
            each.reply_line = grade.reply_line;
            each.wrong = difference(grade, read_expectation(each.text, each.name), accepted);
            if (how.output.empty()) return;
            if (const std::string problem = keep_result(suite, how, each, grade); !problem.empty())
                each.wrong += fmt::format("its result can't be written: {}", problem);
            return;
        }
        case Case::Kind::mutant:
            if (grade.is_fault())
                each.wrong = "the grader could not do its work: " + grade.fault;
            else if (grade.passed())
                each.wrong = "this mutant gets full marks, so no check notices the mistake";
            return;
        case Case::Kind::student:
            if (!grade.passed())
                each.wrong = fmt::format("it gets {} of {} points", points_text(grade.points()),
                                         points_text(grade.max_points()));
            return;
        case Case::Kind::starter:
            const bool compiles = !grade.tests.empty() && grade.tests.front().status == Test::Status::passed;
            if (grade.passed())
                each.wrong = "it gets full marks";
            else if (grade.end != Grade::End::graded || !compiles)
                each.wrong = "it does not compile";
            return;
    }
}

struct Counts {
    int passed = 0, failed = 0;
};

void tell(const Suite& suite, Counts& counts, const view::Display& display) {
    for (const Diagnostic& problem : suite.problems) display.show(problem, {});
    for (const Diagnostic& warning : warnings_about(suite.grader.assignment().checks)) display.show(warning, {});
    if (!suite.problems.empty()) {
        ++counts.failed;
        return;
    }
    for (const Case& each : suite.cases) {
        each.wrong.empty() ? ++counts.passed : ++counts.failed;
        if (!each.wrong.empty()) display.results(fmt::format("{}/{}: {}\n", suite.folder, each.name, each.wrong));
    }
    // A reply that no stored submission gets may be one that can't be given at all.
    for (const Reply& reply : suite.grader.assignment().checks.replies) {
        const bool is_given = std::ranges::find(suite.cases, reply.line, &Case::reply_line) != suite.cases.end();
        is_given ? ++counts.passed : ++counts.failed;
        if (!is_given)
            display.results(
                fmt::format("{}/assignment.toml:{}: no stored submission gets this reply\n", suite.folder, reply.line));
    }
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
                result.problem = fmt::format("expected a number of points, got `{}`", value);
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

int verify_assignments(const std::vector<std::string>& folders, const Verification& how, const view::Display& display) {
    std::vector<std::unique_ptr<Suite>> suites(folders.size());
    in_parallel(how.jobs, folders.size(), [&](std::size_t i) { suites[i] = std::make_unique<Suite>(folders[i], how); });
    std::vector<std::pair<const Suite*, Case*>> all;
    for (const auto& suite : suites)
        for (Case& each : suite->cases) all.emplace_back(suite.get(), &each);
    in_parallel(how.jobs, all.size(), [&](std::size_t i) { run_case(*all[i].first, how, *all[i].second); });
    Counts counts;
    for (const auto& suite : suites) tell(*suite, counts, display);
    display.results(fmt::format("{} passed, {} failed\n", counts.passed, counts.failed));
    return counts.failed == 0 && counts.passed > 0 ? 0 : 1;
}

}  // namespace cudash::grade
