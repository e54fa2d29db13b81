#include "repl/notebook/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "repl/exit_codes.h"
#include "repl/lesson/notebook_lesson.h"
#include "repl/notebook/cell_pieces.h"
#include "repl/notebook/characters.h"
#include "repl/notebook/html_text.h"
#include "repl/shell/commands.h"
#include "repl/shell/commands/debug.h"
#include "repl/shell/line_completion.h"
#include "repl/shell/main_call.h"
#include "repl/shell/pasted_text.h"
#include "repl/shell/split_input.h"
#include "repl/trim.h"

namespace cudash::notebook {
namespace {

using session::Outcome;
using State = worker::Client::State;

/// Commands of the shell that a notebook has other ways for.
struct Elsewhere {
    std::string_view command, instead;
};
constexpr std::array elsewhere = {
    Elsewhere{"edit", "edit the cell in the notebook, and run it again"},
};

worker::Settings of_kernel(worker::Settings settings) {
    settings.stopped_by = "interrupt";
    settings.options.line_buffered = true;
    return settings;
}

/// The text from a line on, the first of all being 1, with empty lines in place of those before.
std::string from_line(std::string_view text, std::size_t line) {
    std::size_t at = 0;
    for (std::size_t i = 1; i < line && at < text.size(); ++i) at = std::min(text.find('\n', at), text.size() - 1) + 1;
    return std::string(line - 1, '\n') + std::string(text.substr(at));
}

std::string_view name_of_command(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(": \t"), line.size()));
    return line.substr(0, line.find_first_of(" \t"));
}

}  // namespace

Kernel::Kernel(const worker::Settings& settings, const settings::Settings& values, Publisher& publisher)
    : outputs_(publisher),
      notebook_(of_kernel(settings), outputs_.display(), outputs_.program()),
      standard_(settings.options.standard) {
    notebook_.use(values);
    outputs_.keep_findings_if([this] { return evaluates_ || notebook_.code() != 0; });
    lesson::serve_lessons(notebook_, settings);
}

void Kernel::start() {
    notebook_.client().start();
}

void Kernel::take_output() {
    notebook_.client().take_output();
    outputs_.flush();
}

json Kernel::execute(const ExecuteRequest& request) {
    outputs_.begin(request.execution_count, request.silent, request.allow_stdin);
    notebook_.set_code(0);
    notebook_.name_cells(static_cast<unsigned>(std::max(request.execution_count, 0)));
    asked_to_end_ = exited_ = false;
    run(request.code);
    outputs_.end();
    json answer = reply();
    outputs_.leave();
    if (answer["status"] == "ok") answer["user_expressions"] = user_expressions(request.user_expressions);
    return answer;
}

void Kernel::run(const std::string& code) {
    std::string_view text = code;
    if (notebook_.debugging()) text = debug(text);
    if (trim(text).empty() || !goes_on()) return;
    // Lines keep their numbers.
    const std::string numbered = from_line(code, shell::lines_in(code.substr(0, code.size() - text.size())) + 1);
    const shell::PlainText plain = shell::plain_text(numbered);
    for (const std::string& note : plain.notes) outputs_.note(note);
    const std::vector<shell::InputPiece> pieces = cell_pieces(plain.text);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const shell::InputPiece& piece = pieces[i];
        if (const std::size_t done = run_exercise(std::span(pieces).subspan(i)); done > 0) {
            i += done - 1;
        } else if (piece.is_command) {
            run_command(piece.text);
        } else {
            evaluate(piece.text, pieces.size() > 1);
        }
        if (!goes_on()) return;
        // What follows is for the debugger, as it is written.
        if (notebook_.debugging())
            return run(from_line(plain.text, piece.line + shell::lines_in(trim(piece.text)) + 1));
    }
    if (pieces.size() > 1) notebook_.check_device_code();
}

std::size_t Kernel::run_exercise(std::span<const shell::InputPiece> pieces) {
    const auto& exercise_code = notebook_.lessons().exercise_code;
    if (!exercise_code || !pieces[0].is_command || !trim(pieces[0].text).starts_with(":lesson exercise ")) return 0;
    std::string between;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        const shell::InputPiece& piece = pieces[i];
        if (!piece.is_command) {
            between += piece.text + "\n";
        } else if (trim(piece.text) == ":lesson check") {
            run_command(pieces[0].text);
            if (!goes_on()) return i + 1;
            exercise_code(std::move(between));
            run_command(piece.text);
            return i + 1;
        } else {
            return 0;
        }
    }
    return 0;
}

std::string_view Kernel::debug(std::string_view code) {
    while (notebook_.debugging() && !code.empty() && goes_on()) {
        const std::size_t end = std::min(code.find('\n'), code.size());
        const std::string_view line = trim(code.substr(0, end));
        code.remove_prefix(std::min(code.size(), end + 1));
        if (!line.empty()) (void)shell::debug_line(notebook_, line);
    }
    if (notebook_.client().state() == State::stopped) tell_of_loss();
    return code;
}

void Kernel::run_command(const std::string& line) {
    const std::string_view name = name_of_command(line);
    const auto row = std::ranges::find(elsewhere, name, &Elsewhere::command);
    if (row != elsewhere.end()) {
        notebook_.fail(error("not-in-notebooks", fmt::format(":{} needs a terminal", name), std::string(row->instead)));
        return;
    }
    if (shell::run_command(notebook_, line)) {
        asked_to_end_ = true;
        outputs_.note(
            "To end the session, shut the kernel down; to begin a new one, restart it. `:reset` forgets all cells.");
    }
    if (notebook_.debugging() && !std::exchange(told_of_debugger_, true))
        outputs_.note(
            "Cells are now commands of the debugger, a line each: `step`, `print x`, ...; `help` lists them. "
            "`continue` and `abort` give the session back.");
    if (notebook_.client().state() == State::stopped) tell_of_loss();
}

void Kernel::evaluate(const std::string& text, bool more) {
    evaluates_ = true;
    // Cells at a prompt end with a line end; so lines are counted alike.
    const Outcome outcome = notebook_.evaluate(text.ends_with('\n') ? text : text + "\n", more);
    evaluates_ = false;
    exited_ = outcome.status == Outcome::Status::exited;
    if (exited_ && outcome.exit_code == 0)
        outputs_.note(fmt::format("{} called exit(0); the session goes on", notebook_.cells().back().name));
    if (outcome.status == Outcome::Status::lost && notebook_.client().state() == State::stopped) tell_of_loss();
    if (outcome.status == Outcome::Status::ok && shell::main_form(text) != shell::MainForm::none)
        outputs_.note("main() runs the program");
}

/// The worker is gone; a new one begins.
void Kernel::tell_of_loss() {
    const std::size_t count = notebook_.accepted();
    if (count > 0)
        outputs_.note(fmt::format("Your variables are gone. `:replay` runs {} again.",
                                  count == 1 ? "your cell" : fmt::format("your {} cells", count)));
    notebook_.client().start();
}

json Kernel::reply() {
    if (asked_to_end_ || notebook_.code() == 0) outputs_.show_kept();
    if (asked_to_end_) return {{"status", "ok"}, {"payload", {{{"source", "ask_exit"}, {"keepkernel", false}}}}};
    if (notebook_.code() == 0) return {{"status", "ok"}, {"payload", json::array()}};
    const int code = notebook_.code();
    std::string name = "error", value = fmt::format("the cell ended with exit code {}", code);
    if (const auto& first = outputs_.first_error()) {
        if (!first->code.empty()) name = first->code;
        value = first->message;
        if (!first->where.file.empty() && first->where.line > 0)
            value = fmt::format("{}:{}: {}", first->where.file, first->where.line, value);
    } else if (exited_) {
        name = "exit";
        value = fmt::format("{} called exit({}); the session goes on", notebook_.cells().back().name, code);
    } else if (code == exit_codes::interrupted) {
        name = "interrupted";
        value = "the cell was interrupted";
    }
    const std::vector<std::string> traceback = outputs_.error(name, value);
    return {{"status", "error"}, {"ename", name}, {"evalue", value}, {"traceback", traceback}};
}

/// Expressions whose values a client wants beside the cell's; they leave no trace in the session.
json Kernel::user_expressions(const json& expressions) {
    json answers = json::object();
    if (!expressions.is_object()) return answers;
    for (const auto& [key, expression] : expressions.items()) {
        if (!expression.is_string()) continue;
        const Outcome outcome = notebook_.client().evaluate(
            {session::Cell::Kind::code, "user expression", expression.get<std::string>() + "\n", {}});
        if (outcome.status == Outcome::Status::ok) {
            const std::string text =
                outcome.value ? fmt::format("({}) {}", outcome.value->type, outcome.value->text) : "";
            answers[key] = {{"status", "ok"}, {"data", {{"text/plain", text}}}, {"metadata", json::object()}};
        } else {
            const std::string why = outcome.diagnostics.empty() ? std::string(session::name_of(outcome.status))
                                                                : outcome.diagnostics.front().message;
            answers[key] = {{"status", "error"},
                            {"ename", session::name_of(outcome.status)},
                            {"evalue", why},
                            {"traceback", json::array()}};
        }
    }
    return answers;
}

json Kernel::complete(const std::string& code, int cursor) {
    const std::size_t at = byte_of(code, cursor);
    const std::string_view text = std::string_view(code).substr(0, at);
    const session::Completions list = shell::complete(notebook_, unfinished_piece(text));
    const std::size_t end = characters_in(text);
    const std::size_t begin = end - characters_in(text.substr(at - std::min<std::size_t>(at, list.word)));
    json matches = json::array(), types = json::array();
    for (const session::Candidate& each : list.candidates) {
        matches.push_back(each.text);
        types.push_back({{"start", begin},
                         {"end", end},
                         {"text", each.text},
                         {"type", each.is_call ? "function" : ""},
                         {"signature", each.signature}});
    }
    return {{"status", "ok"},
            {"matches", std::move(matches)},
            {"cursor_start", begin},
            {"cursor_end", end},
            {"metadata", {{"_jupyter_types_experimental", std::move(types)}}}};
}

json Kernel::inspect(const std::string& code, int cursor) {
    json answer{{"status", "ok"}, {"found", false}, {"data", json::object()}, {"metadata", json::object()}};
    const std::string name = name_at(code, byte_of(code, cursor));
    if (name.empty() || notebook_.debugging()) return answer;
    const int before = notebook_.code();
    const Outputs::Collector collector(outputs_);
    notebook_.set_code(0);
    shell::run_command(notebook_, fmt::format("{} {}", name.starts_with(':') ? ":help" : ":about", name));
    if (notebook_.code() == 0 && !collector.text().empty()) {
        const std::string_view text = trim(collector.text());
        answer["found"] = true;
        answer["data"] = {{"text/plain", text}, {"text/html", html_text(text)}};
    }
    notebook_.set_code(before);
    return answer;
}

json Kernel::is_complete(const std::string& code) {
    if (notebook_.debugging() || shell::is_whole_input(code)) return {{"status", "complete"}};
    return {{"status", "incomplete"}, {"indent", ""}};
}

json Kernel::info() const {
    const auto link = [](std::string_view text, std::string_view url) { return json{{"text", text}, {"url", url}}; };
    return {{"status", "ok"},
            {"implementation", "cudash"},
            {"implementation_version", CUDASH_VERSION},
            {"banner", "cudash " CUDASH_VERSION ": CUDA C++, as it is entered. :help lists commands.\n"},
            {"debugger", false},
            {"help_links",
             {link("CUDA C++ Programming Guide", "https://docs.nvidia.com/cuda/cuda-c-programming-guide/"),
              link("CUDA Runtime API", "https://docs.nvidia.com/cuda/cuda-runtime-api/")}},
            {"language_info",
             {{"name", "c++"},
              {"version", standard_},
              {"mimetype", "text/x-c++src"},
              {"codemirror_mode", "text/x-c++src"},
              {"pygments_lexer", "cuda"},
              {"file_extension", ".cu"},
              {"nbconvert_exporter", "script"}}}};
}

}  // namespace cudash::notebook
