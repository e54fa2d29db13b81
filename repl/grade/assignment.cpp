#include "repl/grade/assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

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
    }
    if (result.verdict == Verdict::passed) return test;
    test.reason = clean_text(result.reason);
    test.expected = clean_text(result.expected);
    test.actual = clean_text(result.actual);
    test.findings = clean_text(print_all(result.findings, lines_of(submission)));
    if (result.verdict == Verdict::failed) test.why = result.why;
    return test;
}

}  // namespace

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
    assignment.checks = parse_assignment((fs::path(folder) / "assignment.toml").string(), text, problems);
    assignment.solution = read("solution.cu", true);
    if (assignment.checks.harness.empty())
        assignment.checks.harness = read("harness.cu", assignment.checks.kind == SubmissionKind::device);
    Key content = derived(derived(assignment.checks.seed, text_of(binary_content())), text);
    for (const std::string* each : {&assignment.checks.harness, &assignment.solution})
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

void Grader::prepare(std::vector<Diagnostic>& problems) {
    RunSettings settings = run_settings();
    settings.record = &references_;
    const Submission solution{"solution.cu", assignment_.solution};
    Report report = run_checks(assignment_.checks, solution, settings);
    if (std::ranges::any_of(report.broken, [](const Diagnostic& d) { return d.code == "precompiled-header"; })) {
        // The first start on this machine: a confined worker may not write them, a free one without any code may.
        worker::Client maker(worker_, {[](const Diagnostic&) {}, {}, [](std::string_view) {}});
        if (maker.wait_ready()) report = run_checks(assignment_.checks, solution, settings);
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

Grade Grader::grade(const Submission& submission) const {
    const auto begin = std::chrono::steady_clock::now();
    RunSettings settings = run_settings();
    settings.references = &references_;
    const Report report = run_checks(assignment_.checks, {source_name(submission.name), submission.text}, settings);
    Grade grade;
    if (!report.broken.empty() || report.interrupted) {
        std::vector<Diagnostic> problems = report.broken;
        if (report.interrupted) problems.push_back(error("interrupted", "the grader was interrupted"));
        grade = fault(assignment_.name, shown_name(submission.name), problems);
    } else {
        for (const CheckResult& check : report.checks)
            grade.tests.push_back(to_test(check, assignment_.checks, {source_name(submission.name), submission.text}));
        grade.reply = report.reply;
        grade.reply_line = report.reply_line;
    }
    grade.assignment = assignment_.name;
    grade.submission = shown_name(submission.name);
    grade.peak_memory = report.peak_memory;
    grade.milliseconds = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count());
    return grade;
}

std::string Grader::fingerprint(const Submission& submission) const {
    return text_of(derived(derived(assignment_.content, submission.name), submission.text));
}

}  // namespace cudash::grade
