#include "repl/lesson/recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "repl/shell/document_cells.h"

namespace cudash::lesson {
namespace {

using session::Cell;
using session::Outcome;

/// Appends everything to `output`, diagnostics plain and on lines of their own.
view::Display recording_display(std::string& output, unsigned width) {
    view::Display display;
    display.results = display.messages = [&output](std::string_view text) { output += text; };
    display.fresh_line = [&output] {
        if (!output.empty() && output.back() != '\n') output += '\n';
    };
    display.terminal.width = display.width = display.width_of_messages = width;
    return display;
}

}  // namespace

Recorder::Recorder(worker::Settings settings, unsigned width)
    : notebook_(std::move(settings), recording_display(output_, width), true) {}

Given Recorder::run(std::string_view code) {
    output_.clear();
    const Outcome outcome = shell::run_document_cells(notebook_, code);
    if (outcome.status == Outcome::Status::exited) output_ += fmt::format("exit code {}\n", outcome.exit_code);
    return {grade::printed_lines(output_), outcome.status == Outcome::Status::lost};
}

Result<session::Value> Recorder::value_of(const std::string& expression) {
    output_.clear();
    Outcome outcome = notebook_.client().evaluate({Cell::Kind::code, "expression", expression, {}});
    if (outcome.value) return *outcome.value;
    for (Diagnostic& diagnostic : outcome.diagnostics)
        if (diagnostic.severity == Diagnostic::Severity::error) return diagnostic;
    return error("no-value", fmt::format("`{}` has no value", expression), "an expression has no ; at its end");
}

std::string differences_of(const grade::Lines& expected, const Given& given) {
    const auto is_error = [](std::string_view line) { return line.starts_with("error["); };
    if (!grade::matches(expected, given.lines)) return grade::diff(expected, given.lines);
    if (given.worker_lost && std::none_of(expected.begin(), expected.end(), is_error))
        return grade::diff({}, given.lines);
    return {};
}

}  // namespace cudash::lesson
