#include "repl/grade/demands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "repl/grade/compare.h"

namespace cudash::grade {
namespace {

using session::Outcome;

constexpr std::size_t most_shown_lines = 30;  ///< of what was printed

std::string list(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

/// Sizes, values and threads of a hidden check are nothing that a visible one tells.
Diagnostic withheld(const Diagnostic& finding) {
    Diagnostic shown = error(finding.code, finding.code + ": found in a check that is not shown to you");
    shown.severity = finding.severity;
    shown.where = finding.where;
    return shown;
}

/// The number of a line that is one, with or without its type: "(int) 999".
std::optional<std::string_view> number_in(const Lines& lines) {
    if (lines.size() != 1) return std::nullopt;
    std::string_view text = lines.front();
    if (text.starts_with('(') && text.find(") ") != std::string_view::npos) text.remove_prefix(text.find(") ") + 2);
    if (text.empty() || text.find_first_not_of("0123456789.-") != std::string_view::npos) return std::nullopt;
    return text;
}

/// "wrong elements: 999, expected 0", where the check's author says what its number counts.
std::optional<std::string> count_of(const Check& check, const Lines& wanted, const Lines& actual) {
    const auto expected = number_in(wanted), came = number_in(actual);
    if (check.means.empty() || !expected || !came) return std::nullopt;
    return fmt::format("{}: {}, expected {}", check.means, *came, *expected);
}

}  // namespace

std::string shortened(std::string_view text) {
    Lines lines = printed_lines(text);
    std::string result;
    const std::size_t count = std::min(lines.size(), most_shown_lines);
    for (std::size_t i = 0; i < count; ++i) result += lines[i] + "\n";
    if (count < lines.size()) result += fmt::format("... and {} lines more\n", lines.size() - count);
    return result;
}

bool demand_output(const Check& check, const SubmissionWorker::Step& step, CheckResult& result) {
    if (!check.output) return true;
    const Lines expected = printed_lines(*check.output), actual = printed_lines(step.printed);
    // A text in TOML often begins with the line end after its quotation marks.
    const Lines wanted(expected.begin() + (!expected.empty() && expected.front().empty() ? 1 : 0), expected.end());
    if (matches(wanted, actual)) return true;
    result.findings = step.findings;
    if (step.outcome.status == Outcome::Status::device_error && !step.findings.empty()) {
        // What it computed up to there means nothing.
        result.reason = "the virtual GPU stopped a kernel at a mistake";
        return false;
    }
    if (const auto counted = count_of(check, wanted, actual)) {
        result.reason = *counted;
        return false;
    }
    for (const std::string& line : wanted) result.expected += line + "\n";
    result.actual = shortened(step.printed);
    result.reason = result.actual.empty() ? "it prints nothing" : "it prints something else";
    return false;
}

bool demand_findings(const Check& check, const SubmissionWorker& worker, CheckResult& result) {
    if (!check.findings) return true;
    for (std::size_t i = 0; i < worker.findings.size(); ++i) {
        const Diagnostic& finding = worker.findings[i];
        if (std::ranges::find(*check.findings, finding.code) != check.findings->end()) continue;
        const bool is_shown = check.visibility != Visibility::visible || !worker.in_hidden[i];
        result.findings.push_back(is_shown ? finding : withheld(finding));
    }
    if (result.findings.empty()) return true;
    result.expected = check.findings->empty() ? "no findings\n" : fmt::format("none but {}\n", list(*check.findings));
    std::vector<std::string> codes;
    for (const Diagnostic& finding : result.findings)
        if (std::ranges::find(codes, finding.code) == codes.end()) codes.push_back(finding.code);
    result.actual = list(codes) + "\n";
    result.reason = "the virtual GPU found a mistake";
    return false;
}

bool demand_metric(const Check& check, SubmissionWorker& worker, const RunSettings& settings, CheckResult& result) {
    if (check.metric.empty()) return true;
    std::string bounds;
    const auto bound = [&](std::string_view words, const std::optional<double>& value) {
        if (value) bounds += fmt::format("{}{} {:g}", bounds.empty() ? "" : " and ", words, *value);
    };
    bound("at least", check.at_least);
    bound("at most", check.at_most);
    bound("exactly", check.equals);
    std::optional<double> of_solution;
    if (check.of_solution && settings.references && settings.references->metrics.contains(check.name)) {
        of_solution = *check.of_solution * settings.references->metrics.at(check.name);
        bound(fmt::format("at most {:g} times the solution's:", *check.of_solution), of_solution);
    }
    std::optional<double> least_of_solution;
    if (check.least_of_solution && settings.references && settings.references->metrics.contains(check.name)) {
        least_of_solution = *check.least_of_solution * settings.references->metrics.at(check.name);
        bound(fmt::format("at least {:g} times the solution's:", *check.least_of_solution), least_of_solution);
    }
    // A counter can carry a number out of a hidden check.
    const bool is_shown = check.visibility != Visibility::visible || !worker.hidden;
    result.expected = fmt::format("{} of {}: {}\n", check.metric, check.kernel, bounds);
    const Outcome outcome = worker.inspect("metrics " + check.kernel);
    if (!outcome.table) {
        result.reason = outcome.diagnostics.empty() ? fmt::format("{} was not launched", check.kernel)
                                                    : outcome.diagnostics.front().message;
        result.actual = "no launch\n";
        return false;
    }
    for (const auto& row : outcome.table->rows) {
        if (row.size() != 2 || row[0] != check.metric) continue;
        const double value = std::strtod(row[1].c_str(), nullptr);
        if (settings.record) settings.record->metrics[check.name] = value;
        result.measured = value;
        const bool met = (!of_solution || value <= *of_solution) &&
                         (!least_of_solution || value >= *least_of_solution) &&
                         (!check.at_least || value >= *check.at_least) && (!check.at_most || value <= *check.at_most) &&
                         (!check.equals || value == *check.equals);
        if (met) return true;
        result.actual =
            is_shown ? fmt::format("{:g}\n", value) : "a number that is not shown: the check that ran is hidden\n";
        result.reason = "the counter is not what it should be";
        return false;
    }
    result.reason = "the counter is not known";
    return false;
}

bool demand_calls(const Check& check, SubmissionWorker& worker, CheckResult& result) {
    if (check.calls.empty() && check.calls_not.empty()) return true;
    std::map<std::string, std::string, std::less<>> called;
    if (const Outcome outcome = worker.inspect("calls"); outcome.table)
        for (const auto& row : outcome.table->rows)
            if (row.size() == 2) called[row[0]] = row[1];
    std::vector<std::string> missing, unwanted;
    for (const std::string& name : check.calls)
        if (!called.contains(name)) missing.push_back(name);
    for (const std::string& name : check.calls_not)
        if (called.contains(name)) unwanted.push_back(name);
    if (missing.empty() && unwanted.empty()) return true;
    if (!missing.empty()) {
        result.expected = "calls of " + list(check.calls) + "\n";
        result.actual = "not called: " + list(missing) + "\n";
        result.reason = "a function of the CUDA runtime was not called";
    } else {
        result.expected = "no calls of " + list(check.calls_not) + "\n";
        result.actual = "called: " + list(unwanted) + "\n";
        result.reason = "a function of the CUDA runtime was called that should not be";
    }
    return false;
}

bool demand_no_leaks(const Check& check, SubmissionWorker& worker, CheckResult& result) {
    if (!check.leaks) return true;
    const Outcome outcome = worker.inspect("leaks");
    if (outcome.diagnostics.empty()) return true;
    result.findings = outcome.diagnostics;
    result.expected = "all memory is freed\n";
    result.actual = outcome.diagnostics.front().message + "\n";
    result.reason = "memory is still allocated";
    return false;
}

bool demand_no_warnings(const Check& check, const SubmissionWorker& worker, CheckResult& result) {
    if (!check.warnings) return true;
    for (const Diagnostic& finding : worker.load.findings)
        if (finding.severity == Diagnostic::Severity::warning) result.findings.push_back(finding);
    // NVRTC's, which compiled device code all the same.
    for (const std::string& line : printed_lines(worker.load.outcome.text))
        if (line.find("warning") != std::string::npos) result.actual += line + "\n";
    if (result.findings.empty() && result.actual.empty()) return true;
    result.expected = "no warnings\n";
    result.reason = "the compiler warns";
    return false;
}

bool needs_virtual(const Check& check) {
    return check.findings || !check.metric.empty() || check.leaks || check.constructs.are_executed();
}

bool needs_process(const Check& check) {
    return check.cell || needs_virtual(check) || !check.calls.empty() || !check.calls_not.empty();
}

}  // namespace cudash::grade
