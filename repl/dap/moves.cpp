// Requests that move the launch, and what is told when it stops.
#include <fmt/format.h>

#include <csignal>

#include "repl/dap/adapter.h"

namespace cudash::dap {

using session::Outcome;

session::Outcome Adapter::command(std::string_view line) {
    return notebook_->client().evaluate({session::Cell::Kind::debug_command, "main", std::string(line), {}});
}

Adapter::Reply Adapter::move(const json& arguments, std::string command) {
    if (arguments.contains("threadId"))
        if (auto problem = focus({arguments["threadId"].get<int>(), 0})) return std::move(*problem);
    to_run_ = std::move(command);
    return json::object();
}

namespace {

bool by_instruction(const json& arguments) {
    return arguments.value("granularity", "") == "instruction";
}

}  // namespace

Adapter::Reply Adapter::go_on(const json&) {
    to_run_ = "continue";
    return json{{"allThreadsContinued", true}};
}
Adapter::Reply Adapter::next(const json& arguments) {
    return move(arguments, by_instruction(arguments) ? "stepi" : "next");
}
Adapter::Reply Adapter::step_in(const json& arguments) {
    return move(arguments, by_instruction(arguments) ? "stepi" : "step");
}
Adapter::Reply Adapter::step_out(const json& arguments) {
    return move(arguments, "finish");
}
Adapter::Reply Adapter::step_back(const json& arguments) {
    return move(arguments, by_instruction(arguments) ? "reverse-stepi" : "reverse-next");
}
Adapter::Reply Adapter::reverse_continue(const json& arguments) {
    return move(arguments, "reverse-continue");
}

/// Requests that came while the program ran and stopped it.
void Adapter::answer_waiting() {
    while (!leaves_ && !client_is_gone_ && to_run_.empty() && state_ != State::ended && incoming_.has_next()) {
        const auto received = incoming_.wait();
        if (!received) {
            leaves_ = true;
            return;
        }
        if (const auto* request = std::get_if<json>(&*received)) answer(*request);
    }
}

void Adapter::run_command(std::string command) {
    frames_.clear();
    scopes_.clear();
    finding_.reset();
    const bool started = state_ == State::ready;
    state_ = State::stopped;
    while (!incoming_.is_ending()) {
        incoming_.set_running(true);
        const Outcome outcome = this->command(command);
        incoming_.set_running(false);
        if (outcome.status != Outcome::Status::stopped) return end_program(outcome);
        // A step past the end of a launch that can't go back: its host code goes on.
        const bool is_over = outcome.stop && outcome.stop->function.empty();
        const bool by_user = incoming_.takes_pause();
        const bool for_requests = outcome.stop && outcome.stop->kind == "interrupt" && !by_user &&
                                  (command == "continue" || command == "launch");
        if (for_requests) {
            answer_waiting();
            if (state_ == State::ended || leaves_) return;
        }
        if (!is_over && !for_requests) return tell_stop(outcome, command);
        command = "continue";
    }
    if (started) state_ = State::ready;
}

void Adapter::tell_stop(const Outcome& outcome, std::string_view command) {
    static const std::map<std::string_view, std::string_view> reasons = {{"breakpoint", "breakpoint"},
                                                                         {"watchpoint", "data breakpoint"},
                                                                         {"finding", "exception"},
                                                                         {"interrupt", "pause"},
                                                                         {"launch", "entry"}};
    if (!outcome.stop) {
        // The debugger refused the move and says why: the launch stands where it stood.
        for (const Diagnostic& each : outcome.diagnostics)
            output("console", each.message + (each.hint.empty() ? "\n" : "; " + each.hint + "\n"));
        event("stopped", {{"reason", "step"}, {"threadId", thread_}, {"allThreadsStopped", true}});
        return;
    }
    // What log points noted on the way.
    output("console", outcome.text);
    const session::DebugStop& stop = *outcome.stop;
    thread_ = static_cast<int>(stop.warp * 32 + stop.lane) + 1;
    const auto reason = reasons.find(stop.kind);
    const bool steps = command.find("step") != std::string_view::npos ||
                       command.find("next") != std::string_view::npos || command == "finish";
    json body = {{"reason", reason != reasons.end() ? reason->second
                            : steps                 ? "step"
                                                    : "goto"},
                 {"threadId", thread_},
                 {"allThreadsStopped", true}};
    if (!stop.why.empty()) body["description"] = stop.why;
    for (const Diagnostic& each : outcome.diagnostics) {
        if (stop.kind == "finding" && !finding_) finding_ = each;
        display("console").show(each, notebook_->lines());
    }
    if (finding_) body["text"] = finding_->message;
    if (stop.breakpoint != 0)
        for (const auto& [group, all] : breaks_)
            for (const Breakpoint& each : all)
                if (each.number == stop.breakpoint) body["hitBreakpointIds"] = {each.id};
    event("stopped", std::move(body));
}

}  // namespace cudash::dap
