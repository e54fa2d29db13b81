#include "repl/dap/adapter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "repl/cli.h"
#include "repl/dap/dap.h"
#include "repl/dap/messages.h"
#include "repl/shell/debug_program.h"

namespace cudash::dap {

using session::Outcome;

Adapter::Adapter(worker::Settings settings, int in, int out)
    : settings_(std::move(settings)), out_(out), incoming_(in) {
    settings_.no_input = true;
}

std::span<const Adapter::Row> Adapter::table() {
    using A = Adapter;
    using S = State;
    static constexpr std::array rows = {
        Row{"initialize", &A::initialize, S::created, S::created},
        Row{"launch", &A::launch, S::initialized, S::initialized},
        Row{"attach", &A::attach, S::created, S::ended},
        Row{"configurationDone", &A::configuration_done, S::ready, S::ready},
        Row{"setBreakpoints", &A::set_breakpoints, S::initialized, S::ended},
        Row{"setFunctionBreakpoints", &A::set_function_breakpoints, S::initialized, S::ended},
        Row{"setDataBreakpoints", &A::set_data_breakpoints, S::initialized, S::ended},
        Row{"dataBreakpointInfo", &A::data_breakpoint_info, S::stopped, S::stopped},
        Row{"setExceptionBreakpoints", &A::nothing, S::initialized, S::ended},
        Row{"threads", &A::threads, S::initialized, S::ended},
        Row{"stackTrace", &A::stack_trace, S::stopped, S::stopped},
        Row{"scopes", &A::scopes, S::stopped, S::stopped},
        Row{"variables", &A::variables, S::stopped, S::stopped},
        Row{"evaluate", &A::evaluate, S::ready, S::stopped},
        Row{"exceptionInfo", &A::exception_info, S::stopped, S::stopped},
        Row{"disassemble", &A::disassemble, S::stopped, S::stopped},
        Row{"continue", &A::go_on, S::stopped, S::stopped},
        Row{"next", &A::next, S::stopped, S::stopped},
        Row{"stepIn", &A::step_in, S::stopped, S::stopped},
        Row{"stepOut", &A::step_out, S::stopped, S::stopped},
        Row{"stepBack", &A::step_back, S::stopped, S::stopped},
        Row{"reverseContinue", &A::reverse_continue, S::stopped, S::stopped},
        Row{"pause", &A::nothing, S::initialized, S::ended},
        Row{"cancel", &A::nothing, S::created, S::ended},
        Row{"terminate", &A::terminate, S::created, S::ended},
        Row{"disconnect", &A::disconnect, S::created, S::ended},
    };
    return rows;
}

void Adapter::send(json message) {
    message["seq"] = sequence_++;
    const std::string text = json_text(message);
    client_is_gone_ |= !write_all(out_, framed(text));
}

void Adapter::event(std::string_view name, json body) {
    send({{"type", "event"}, {"event", name}, {"body", std::move(body)}});
}

void Adapter::output(std::string_view category, std::string_view text) {
    if (!text.empty()) event("output", {{"category", category}, {"output", text}});
}

view::Display Adapter::display(std::string_view category_of_results) {
    view::Display made;
    made.results = [this, category = std::string(category_of_results)](std::string_view text) {
        output(category, text);
    };
    made.messages = [this](std::string_view text) { output("stderr", text); };
    made.use({});
    return made;
}

void Adapter::run() {
    while (!leaves_ && !client_is_gone_) {
        const auto received = incoming_.wait();
        if (!received) break;
        if (const auto* request = std::get_if<json>(&*received))
            answer(*request);
        else
            output("stderr", fmt::format("cudash: {}\n", std::get<std::string>(*received)));
    }
    if (notebook_) notebook_->client().stop();
}

void Adapter::answer(const json& request) {
    Reply made = reply(request);
    json response = {{"type", "response"}, {"request_seq", request["seq"]}, {"command", request["command"]}};
    response["success"] = static_cast<bool>(made);
    if (made) {
        response["body"] = std::move(*made);
    } else {
        const Diagnostic& problem = made.error();
        const std::string text = problem.hint.empty() ? problem.message : problem.message + "; " + problem.hint;
        response["message"] = text;
        response["body"] = {{"error", {{"id", 1}, {"format", text}, {"showUser", true}}}};
    }
    send(std::move(response));
    for (auto& [name, body] : std::exchange(then_, {})) event(name, std::move(body));
    if (!to_run_.empty()) run_command(std::exchange(to_run_, {}));
}

Adapter::Reply Adapter::reply(const json& request) {
    const std::string name = request["command"];
    const auto rows = table();
    const auto row = std::ranges::find(rows, name, &Row::command);
    if (row == rows.end()) return error("unknown-command", fmt::format("cudash has no request '{}'", name));
    if (state_ < row->first)
        return error("wrong-state", fmt::format("'{}' can't be answered yet", name),
                     state_ == State::created       ? "'initialize' comes first"
                     : state_ == State::initialized ? "'launch' comes first"
                                                    : "the program has not reached a launch");
    if (state_ > row->last)
        return error("wrong-state",
                     fmt::format("'{}' can't be answered {}", name,
                                 state_ == State::ended ? "when the program has ended" : "a second time"));
    const json arguments = request.value("arguments", json::object());
    // What a client leaves out has a default; what it gives has the type that the protocol says.
    try {
        return (this->*row->handler)(arguments.is_object() ? arguments : json::object());
    } catch (const json::exception&) {
        return error("bad-argument", fmt::format("the arguments of '{}' don't have the protocol's types", name));
    }
}

Adapter::Reply Adapter::initialize(const json& arguments) {
    line_base_ = arguments.value("linesStartAt1", true) ? 1 : 0;
    state_ = State::initialized;
    return json{{"supportsConfigurationDoneRequest", true},
                {"supportsFunctionBreakpoints", true},
                {"supportsConditionalBreakpoints", true},
                {"supportsHitConditionalBreakpoints", true},
                {"supportsLogPoints", true},
                {"supportsEvaluateForHovers", true},
                {"supportsStepBack", true},
                {"supportsDataBreakpoints", true},
                {"supportsExceptionInfoRequest", true},
                {"supportsDisassembleRequest", true},
                {"supportsSteppingGranularity", true},
                {"supportsTerminateRequest", true},
                {"supportTerminateDebuggee", true}};
}

Adapter::Reply Adapter::nothing(const json&) {
    return json::object();
}

Adapter::Reply Adapter::attach(const json&) {
    return error("unknown-command", "cudash starts the program itself",
                 "use a configuration with \"request\": \"launch\"");
}

std::optional<Diagnostic> Adapter::take_settings(const json& arguments) {
    const std::string folder = arguments.value("cwd", "");
    if (!folder.empty() && chdir(folder.c_str()) != 0)
        return error("bad-argument", fmt::format("cwd: can't go to {}: {}", folder, std::strerror(errno)));
    const json environment = arguments.value("env", json::object());
    for (const auto& [name, value] : environment.items())
        if (value.is_string()) setenv(name.c_str(), value.get<std::string>().c_str(), 1);
    const auto options = arguments.value("options", std::vector<std::string>());
    if (auto problem = parse_session_options(options, settings_)) {
        problem->message = "options: " + problem->message;
        return problem;
    }
    stops_on_entry_ = arguments.value("stopOnEntry", false);
    without_debugging_ = arguments.value("noDebug", false);
    return std::nullopt;
}

Adapter::Reply Adapter::launch(const json& arguments) {
    const json program = arguments.value("program", json());
    std::vector<std::string> files;
    if (program.is_string()) files = {program.get<std::string>()};
    if (program.is_array()) files = program.get<std::vector<std::string>>();
    if (files.empty() || files.front().empty())
        return error("bad-argument", "the launch configuration needs \"program\": a .cu file, or a list of them");
    if (auto problem = take_settings(arguments)) return std::move(*problem);
    std::error_code ignored;
    for (std::string& file : files) file = std::filesystem::absolute(file, ignored).lexically_normal().string();
    notebook_ = std::make_unique<shell::Notebook>(settings_, display("stdout"), true);
    const Outcome outcome =
        shell::begin_debugging(*notebook_, files, arguments.value("args", std::vector<std::string>()));
    if (outcome.status != Outcome::Status::stopped) {
        state_ = State::ended;
        then_.emplace_back("terminated", json::object());
        const auto first = std::ranges::find(outcome.diagnostics, Diagnostic::Severity::error, &Diagnostic::severity);
        if (first == outcome.diagnostics.end()) return error("not-launched", "the program can't be debugged");
        Diagnostic told = *first;
        if (told.where.line != 0)
            told.message = fmt::format("{}:{}: {}", told.where.file, told.where.line, told.message);
        return told;
    }
    state_ = State::ready;
    set_waiting();
    then_.emplace_back("initialized", json::object());
    return json::object();
}

Adapter::Reply Adapter::configuration_done(const json&) {
    to_run_ = stops_on_entry_ && !without_debugging_ ? "launch" : "continue";
    return json::object();
}

Adapter::Reply Adapter::terminate(const json&) {
    if (state_ != State::ended && state_ != State::created) {
        if (notebook_) notebook_->client().stop();
        state_ = State::ended;
        then_.emplace_back("terminated", json::object());
    }
    return json::object();
}

Adapter::Reply Adapter::disconnect(const json& arguments) {
    leaves_ = true;
    return terminate(arguments);
}

void Adapter::end_program(const Outcome& outcome) {
    state_ = State::ended;
    const view::Display shown = display("console");
    shown.show(outcome, "the program", notebook_->lines());
    event("exited", {{"exitCode", shell::exit_code(outcome)}});
    event("terminated");
}

int serve(worker::Settings settings, int in, int out) {
    // SIGINT is read by who waits for the worker (worker::Client); between two waits it means nothing. A client that is
    // gone shows in what write() returns.
    struct sigaction nothing {};
    nothing.sa_handler = [](int) {};
    nothing.sa_flags = SA_RESTART;
    sigaction(SIGINT, &nothing, nullptr);
    sigaction(SIGPIPE, &nothing, nullptr);
    Adapter(std::move(settings), in, out).run();
    return 0;
}

}  // namespace cudash::dap
