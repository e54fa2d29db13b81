// The forms that are JSON. Sources: gradescope/autograder_samples docs/specs.md; classroom-resources/
// autograding-command-grader src/main.js; cs50/check50 docs/source/json_specification.rst; exercism/docs
// building/tooling/test-runners/interface.md.
#include <algorithm>
#include <span>

#include "repl/grade/results/formats.h"
#include "repl/json.h"
#include "repl/session/base64.h"

namespace cudash::grade {
namespace {

using json = nlohmann::ordered_json;

std::string dumped(const json& value) {
    return json_text(value, 2) + "\n";
}

std::string_view status_name(const Test& test) {
    return status_names[static_cast<std::size_t>(test.status)];
}

std::string_view visibility_name(const Test& test) {
    return visibility_names[static_cast<std::size_t>(test.visibility)];
}

/// A whole number where it is one: 2, not 2.0.
json number(double value) {
    const auto whole = static_cast<long long>(value);
    return static_cast<double>(whole) == value ? json(whole) : json(value);
}

/// As Gradescope has it; null: there is none.
json leaderboard_row(const Test& test) {
    if (test.leaderboard.empty() || !test.measured) return nullptr;
    return {{"name", test.leaderboard},
            {"value", number(*test.measured)},
            {"order", test.lower_is_better ? "asc" : "desc"}};
}

}  // namespace

std::string as_json(const Grade& grade, const FormatOptions& options) {
    json out;
    out["version"] = 1;
    out["assignment"] = grade.assignment;
    out["submission"] = grade.submission;
    out["status"] = grade.is_fault() ? "grader_fault" : grade.passed() ? "passed" : "failed";
    out["points"] = grade.is_fault() ? json(nullptr) : number(grade.points());
    out["max_points"] = number(grade.max_points());
    if (grade.is_fault()) out["fault"] = grade.fault;
    out["reply"] = grade.reply;
    out["tests"] = json::array();
    for (const Test& test : grade.tests) {
        json row;
        row["name"] = test.name;
        row["status"] = status_name(test);
        row["points"] = number(test.points);
        row["max_points"] = number(test.max_points);
        row["visibility"] = visibility_name(test);
        row["task"] = test.task;
        row["needs"] = test.needs;
        row["reason"] = test.reason;
        row["expected"] = test.expected;
        row["actual"] = test.actual;
        row["findings"] = test.findings;
        row["why"] = test.why;
        row["code"] = test.code;
        if (const json shown = leaderboard_row(test); !shown.is_null()) row["leaderboard"] = shown;
        out["tests"].push_back(std::move(row));
    }
    if (options.times) {
        out["milliseconds"] = grade.milliseconds;
        out["peak_memory"] = grade.peak_memory;
    }
    return dumped(out);
}

std::string as_gradescope(const Grade& grade, const FormatOptions& options) {
    json out;
    if (grade.is_fault()) {
        // Without a score Gradescope says that the autograder failed, and asks nobody to live with a 0.
        out["output"] = std::string(fault_for_students);
        out["visibility"] = "visible";
        out["stdout_visibility"] = "hidden";
        return dumped(out);
    }
    out["score"] = number(grade.points());
    if (options.times) out["execution_time"] = static_cast<double>(grade.milliseconds) / 1000;
    out["output"] = grade.reply;
    out["output_format"] = "text";
    out["visibility"] = "visible";
    out["stdout_visibility"] = "hidden";
    out["tests"] = json::array();
    int count = 0;
    for (const Test& test : grade.tests) {
        json row;
        // It knows no skipped tests. With neither a score nor a status it shows the words alone.
        if (test.status != Test::Status::skipped || test.max_points > 0) {
            row["score"] = number(test.points);
            row["max_score"] = number(test.max_points);
            row["status"] = test.status == Test::Status::passed ? "passed" : "failed";
        }
        row["name"] = test.name;
        row["name_format"] = "text";
        row["number"] = std::to_string(++count);
        row["output"] = explain(test);
        row["output_format"] = "text";
        row["tags"] = test.task.empty() ? json::array() : json::array({test.task});
        row["visibility"] = visibility_name(test);
        out["tests"].push_back(std::move(row));
        // A number counts in a comparison where the submission is right.
        if (const json shown = leaderboard_row(test); !shown.is_null() && test.status == Test::Status::passed)
            out["leaderboard"].push_back(shown);
    }
    return dumped(out);
}

std::string as_github(const Grade& grade, const FormatOptions& options) {
    json out;
    out["version"] = 1;
    out["status"] = grade.is_fault() ? "error" : grade.passed() ? "pass" : "fail";
    out["max_score"] = number(grade.max_points());
    out["tests"] = json::array();
    const auto add = [&](const std::string& name, std::string_view status, double score, const std::string& message) {
        json row;
        row["name"] = name;
        row["status"] = status;
        row["score"] = number(score);
        row["message"] = message;
        row["test_code"] = "";
        row["filename"] = grade.submission;
        row["line_no"] = 0;
        row["duration"] = options.times ? grade.milliseconds : 0;
        out["tests"].push_back(std::move(row));
    };
    if (grade.is_fault()) add(grade.assignment, "error", 0, std::string(fault_for_students));
    for (const Test& test : grade.tests)
        if (!grade.is_fault())
            add(test.name, test.status == Test::Status::passed ? "pass" : "fail", test.points,
                public_explanation(test));
    const std::string text = json_text(out);
    return session::to_base64(std::as_bytes(std::span(text))) + "\n";
}

std::string as_check50(const Grade& grade, const FormatOptions&) {
    json out;
    out["slug"] = grade.assignment;
    out["version"] = "3.3.0";
    if (grade.is_fault()) {
        out["error"] = {{"type", "GraderFault"},
                        {"value", fault_for_students},
                        {"traceback", json::array()},
                        {"data", json::object()}};
        return dumped(out);
    }
    out["results"] = json::array();
    for (const Test& test : grade.tests) {
        json row;
        row["name"] = test.name;
        row["description"] = test.name;
        row["passed"] =
            test.status == Test::Status::skipped ? json(nullptr) : json(test.status == Test::Status::passed);
        row["log"] = json::array();
        json cause = nullptr;
        if (test.status != Test::Status::passed) {
            const bool shown = test.visibility == Visibility::visible;
            cause = {{"rationale", shown ? test.reason : "this test is hidden"},
                     {"help", shown ? test.findings + test.why : std::string()}};
            if (shown && !test.expected.empty()) {
                cause["expected"] = test.expected;
                cause["actual"] = test.actual;
            }
        }
        row["cause"] = std::move(cause);
        row["data"] = {{"points", number(test.points)}, {"max_points", number(test.max_points)}, {"needs", test.needs}};
        // It knows one: that which did not pass, if there is one.
        json dependency = test.needs.empty() ? json(nullptr) : json(test.needs.front());
        for (const std::string& need : test.needs) {
            const auto needed = std::ranges::find(grade.tests, need, &Test::name);
            if (needed != grade.tests.end() && needed->status != Test::Status::passed) {
                dependency = need;
                break;
            }
        }
        row["dependency"] = std::move(dependency);
        out["results"].push_back(std::move(row));
    }
    return dumped(out);
}

std::string as_exercism(const Grade& grade, const FormatOptions&) {
    json out;
    out["version"] = 3;
    // "error": the tests did not run, and `message` says why.
    const bool compiles = grade.tests.empty() || grade.tests.front().status == Test::Status::passed;
    out["status"] = grade.is_fault() || !compiles ? "error" : grade.passed() ? "pass" : "fail";
    out["message"] = grade.is_fault() ? json(std::string(fault_for_students))
                     : !compiles      ? json(explain(grade.tests.front()))
                                      : json(nullptr);
    out["tests"] = json::array();
    // A task is a number in the order in which tasks first occur.
    std::vector<std::string> tasks;
    for (const Test& test : grade.tests) {
        json row;
        row["name"] = test.name;
        row["test_code"] = test.visibility == Visibility::visible ? test.code : "";
        row["status"] = test.status == Test::Status::passed   ? "pass"
                        : test.status == Test::Status::failed ? "fail"
                                                              : "error";
        row["message"] = test.status == Test::Status::passed ? json(nullptr) : json(public_explanation(test));
        row["output"] = nullptr;
        if (!test.task.empty()) {
            auto at = std::find(tasks.begin(), tasks.end(), test.task);
            if (at == tasks.end()) at = tasks.insert(tasks.end(), test.task);
            row["task_id"] = at - tasks.begin() + 1;
        }
        out["tests"].push_back(std::move(row));
    }
    return dumped(out);
}

}  // namespace cudash::grade
