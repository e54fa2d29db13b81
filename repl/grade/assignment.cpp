#include "repl/grade/assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "repl/grade/binary_content.h"
#include "repl/grade/clean_text.h"
#include "repl/grade/names.h"
#include "repl/grade/read_file.h"
#include "repl/view/diagnostic_printer.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_shown_findings = 5;

std::string print_all(const std::vector<Diagnostic>& diagnostics, const view::SourceLines& lines) {
    std::string text;
    for (std::size_t i = 0; i < diagnostics.size() && i < most_shown_findings; ++i)
        text += view::print(diagnostics[i], lines, view::Style{});
    if (diagnostics.size() > most_shown_findings)
        text += fmt::format("... and {} more\n", diagnostics.size() - most_shown_findings);
    return text;
}

/// The lines of a submission, by its name.
view::SourceLines lines_of(const Submission& submission) {
    return [&submission](std::string_view file, unsigned line) -> std::optional<std::string> {
        if (file != submission.name || line == 0) return std::nullopt;
        std::string_view rest = submission.text;
        for (; line > 1; --line) {
            const std::size_t end = rest.find('\n');
            if (end == std::string_view::npos) return std::nullopt;
            rest.remove_prefix(end + 1);
        }
        return std::string(rest.substr(0, rest.find('\n')));
    };
}

const Check* find_check(const Checks& checks, std::string_view name) {
    for (const Check& check : checks.checks)
        if (check.name == name) return &check;
    return nullptr;
}

/// What runs the submission.
std::string code_of(const Check& check) {
    if (check.cell) return *check.cell;
    if (!check.run) return {};
    std::string command = "./a.out";
    for (const std::string& argument : check.run->arguments) command += " " + shell_word(argument);
    return command;
}

Test to_test(const CheckResult& result, const Checks& checks, const Submission& submission) {
    Test test;
    test.name = result.name;
    test.status = static_cast<Test::Status>(result.verdict);
    const Check* check = find_check(checks, result.name);
    // "compiles" gives points only where the assignment says so.
    test.max_points = check ? check->points : 0;
    test.points = test.max_points * (result.verdict == Verdict::passed ? 1 : result.part);
    if (check) {
        test.visibility = check->visibility;
        test.needs = check->needs;
        test.task = check->task;
        test.code = code_of(*check);
        test.leaderboard = check->leaderboard;
        if (!check->leaderboard.empty()) test.measured = result.measured;
        test.lower_is_better = !check->at_least && !check->least_of_solution;
    }
    if (result.verdict == Verdict::passed) return test;
    test.reason = clean_text(result.reason);
    test.expected = clean_text(result.expected);
    test.actual = clean_text(result.actual);
    test.findings = clean_text(print_all(result.findings, lines_of(submission)));
    if (result.verdict == Verdict::failed) test.why = result.why;
    return test;
}

/// The checks with the values of `seed`; the seed of random inputs is the assignment's own.
Checks own_checks(const Assignment& assignment, const Key& seed, std::vector<Diagnostic>& problems) {
    const std::string path = (fs::path(assignment.folder) / "assignment.toml").string();
    if (assignment.parameters.empty()) return parse_assignment(path, assignment.text, problems);
    return parse_assignment(path, filled_in(assignment.text, values_of(assignment.parameters, seed), path, problems),
                            problems);
}

}  // namespace

Assignment own_assignment(const Assignment& assignment, const Key& seed, std::vector<Diagnostic>& problems) {
    Assignment own = assignment;
    if (!assignment.parameters.empty()) {
        std::string harness = std::move(own.checks.harness);
        own.checks = own_checks(assignment, seed, problems);
        if (own.checks.harness.empty()) own.checks.harness = std::move(harness);
    }
    own.checks.seed = seed;
    return own;
}

std::string own_sheet(const Assignment& assignment, const Key& seed, std::vector<Diagnostic>& problems) {
    if (assignment.parameters.empty()) return assignment.sheet;
    return filled_in(assignment.sheet, values_of(assignment.parameters, seed),
                     (fs::path(assignment.folder) / "assignment.md").string(), problems);
}

Assignment load_assignment(const std::string& folder, std::vector<Diagnostic>& problems) {
    Assignment assignment;
    assignment.folder = folder;
    std::error_code ignored;
    const fs::path absolute = fs::weakly_canonical(folder, ignored);
    assignment.name = shown_name(absolute.filename().string());
    const auto read = [&](const char* name, bool needed) -> std::string {
        const std::string path = (fs::path(folder) / name).string();
        std::string why;
        if (auto text = read_file(path, why)) return *text;
        if (needed)
            problems.push_back(
                error("bad-assignment", fmt::format("{} can't be read: {}", path, why),
                      "an assignment has assignment.toml and solution.cu; `cudash grade new NAME` makes an example"));
        return {};
    };
    const std::string text = read("assignment.toml", true);
    if (!problems.empty()) return assignment;
    assignment.text = text;
    assignment.sheet = read("assignment.md", false);
    const std::string parameters = read("parameters.toml", false);
    if (!parameters.empty()) {
        const std::string path = (fs::path(folder) / "parameters.toml").string();
        assignment.parameters = parse_parameters(path, parameters, problems);
        if (!problems.empty()) return assignment;
    }
    // As the student without a name has it: what is wrong is seen before there is any.
    assignment.checks = own_checks(assignment, {}, problems);
    // A class's table has one column for each check.
    if (assignment.parameters.size() && text.find("name = \"{{") != std::string::npos)
        problems.push_back(error("bad-assignment", fmt::format("{}: the name of a check has a parameter", folder),
                                 "names are the same for all students"));
    if (!assignment.parameters.empty() && !assignment.checks.own_inputs)
        problems.push_back(error("bad-assignment", fmt::format("{} has parameters.toml, and no `own_inputs`", folder),
                                 "own_inputs = true in assignment.toml gives every student values of their own"));
    assignment.solution = read("solution.cu", true);
    if (assignment.checks.harness.empty())
        assignment.checks.harness = read("harness.cu", assignment.checks.kind == SubmissionKind::device);
    Key content = derived(derived(assignment.checks.seed, text_of(binary_content())), text);
    for (const std::string* each :
         {&std::as_const(assignment.checks.harness), &std::as_const(assignment.solution), &parameters})
        content = derived(content, *each);
    const auto add = [&content](const Bytes& data) {
        content = derived(content, {reinterpret_cast<const char*>(data.data()), data.size()});
    };
    for (const Check& check : assignment.checks.checks) {
        for (const Input& input : check.inputs) add(input.values);
        for (const ResultDemand& result : check.results) add(result.values);
    }
    assignment.content = content;
    return assignment;
}

Grade fault(const std::string& assignment, const std::string& submission, const std::vector<Diagnostic>& problems) {
    Grade grade;
    grade.end = Grade::End::grader_fault;
    grade.assignment = assignment;
    grade.submission = submission;
    grade.fault = clean_text(print_all(problems, {}));
    return grade;
}

Grader::Grader(Assignment assignment, worker::Settings worker, std::vector<std::string> without)
    : assignment_(std::move(assignment)), worker_(std::move(worker)), without_(std::move(without)) {}

RunSettings Grader::run_settings() const {
    RunSettings settings;
    settings.worker = worker_;
    settings.confined = true;
    settings.without = without_;
    return settings;
}

Grade Grader::refuse(const std::string& name, const std::string& reason) const {
    Grade grade;
    grade.assignment = assignment_.name;
    grade.submission = name;
    CheckResult first;
    first.name = compiles;
    first.verdict = Verdict::failed;
    first.reason = reason;
    grade.tests.push_back(to_test(first, assignment_.checks, {}));
    for (const Check& check : assignment_.checks.checks) {
        if (check.name == compiles) continue;
        CheckResult result;
        result.name = check.name;
        result.reason = fmt::format("it needs the check \"{}\"", compiles);
        grade.tests.push_back(to_test(result, assignment_.checks, {}));
    }
    return grade;
}

void Grader::run_solution(const Assignment& assignment, References& references,
                          std::vector<Diagnostic>& problems) const {
    RunSettings settings = run_settings();
    settings.record = &references;
    const Submission solution{"solution.cu", assignment.solution};
    Report report = run_checks(assignment.checks, solution, settings);
    if (std::ranges::any_of(report.broken, [](const Diagnostic& d) { return d.code == "precompiled-header"; })) {
        // The first start on this machine: a confined worker may not write them, a free one without any code may.
        worker::Client maker(worker_, {[](const Diagnostic&) {}, {}, [](std::string_view) {}});
        if (maker.wait_ready()) report = run_checks(assignment.checks, solution, settings);
    }
    problems.insert(problems.end(), report.broken.begin(), report.broken.end());
    if (!problems.empty()) return;
    for (const CheckResult& check : report.checks) {
        if (check.verdict == Verdict::passed) continue;
        Diagnostic problem =
            error("bad-assignment", fmt::format("the solution does not pass \"{}\": {}", check.name, check.reason));
        if (!check.expected.empty()) problem.notes.push_back({"expected " + check.expected, {}});
        if (!check.actual.empty()) problem.notes.push_back({"came " + check.actual, {}});
        for (const Diagnostic& finding : check.findings) problem.notes.push_back({finding.message, finding.where});
        problems.push_back(std::move(problem));
    }
}

void Grader::prepare(std::vector<Diagnostic>& problems) {
    if (assignment_.checks.own_inputs && !key_) {
        problems.push_back(error(
            "no-key",
            fmt::format("{} gives every student own inputs, which are made from the course's key", assignment_.name),
            "--key FILE, or `key` in course.toml; `cudash grade key FILE` makes a new one"));
        return;
    }
    run_solution(assignment_.checks.own_inputs ? own_assignment(assignment_, {}, problems) : assignment_, references_,
                 problems);
}

Key Grader::seed_of(const std::string& student) const {
    return key_ ? key_->seed_of(assignment_.checks.seed, student) : Key{};
}

Grade Grader::grade(const Submission& submission, const std::string& student) const {
    const auto begin = std::chrono::steady_clock::now();
    Grade grade;
    if (assignment_.checks.own_inputs) {
        std::vector<Diagnostic> problems;
        References references;
        const Assignment own = own_assignment(assignment_, seed_of(student), problems);
        if (problems.empty()) run_solution(own, references, problems);
        grade = problems.empty() ? judge(own, references, submission)
                                 : fault(assignment_.name, shown_name(submission.name), problems);
    } else {
        grade = judge(assignment_, references_, submission);
    }
    grade.milliseconds = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count());
    return grade;
}

Grade Grader::judge(const Assignment& assignment, const References& references, const Submission& submission) const {
    RunSettings settings = run_settings();
    settings.references = &references;
    const Report report = run_checks(assignment.checks, {source_name(submission.name), submission.text}, settings);
    Grade grade;
    if (!report.broken.empty() || report.interrupted) {
        std::vector<Diagnostic> problems = report.broken;
        if (report.interrupted) problems.push_back(error("interrupted", "the grader was interrupted"));
        grade = fault(assignment.name, shown_name(submission.name), problems);
    } else {
        for (const CheckResult& check : report.checks)
            grade.tests.push_back(to_test(check, assignment.checks, {source_name(submission.name), submission.text}));
        grade.reply = report.reply;
        grade.reply_line = report.reply_line;
    }
    grade.assignment = assignment.name;
    grade.submission = shown_name(submission.name);
    grade.peak_memory = report.peak_memory;
    return grade;
}

std::string Grader::fingerprint(const Submission& submission, const std::string& student) const {
    Key content = derived(derived(assignment_.content, submission.name), submission.text);
    if (assignment_.checks.own_inputs) content = derived(derived(content, student), text_of(seed_of(student)));
    return text_of(content);
}

}  // namespace cudash::grade
