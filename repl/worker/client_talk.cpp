// A request to the worker, and what happens until its answer.
#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <utility>

#include "repl/exit_codes.h"
#include "repl/worker/client_wake.h"
#include "repl/worker/interrupt_watch.h"

namespace cudash::worker {
namespace {

using namespace std::chrono_literals;
using session::Outcome;

constexpr auto interrupt_told = 1s;   ///< what does not stop so long after a Ctrl-C needs a second one
constexpr auto interrupt_grace = 2s;  ///< from the SIGINT at a timeout to the SIGKILL
/// Of a confined worker's messages: an outcome with all that a compiler says, and an array (base64) that was asked for.
constexpr std::size_t most_in_frame = 4u << 20, most_in_array = 12u << 20;

Diagnostic no_input(const std::string& name) {
    return error("no-input", fmt::format("{} reads standard input, and nobody can be asked for it here", name),
                 "run it where a person answers, or read from a file or a std::istringstream");
}

/// A request has one kind of answer.
bool is_answer(const Request& request, const Report& report) {
    if (std::holds_alternative<Query>(request)) return std::holds_alternative<session::Answer>(report);
    if (std::holds_alternative<Complete>(request)) return std::holds_alternative<session::Completions>(report);
    return std::holds_alternative<Outcome>(report);
}

std::string too_long(const std::string& name, std::chrono::milliseconds limit) {
    return fmt::format("{} ran longer than {:g} s", name, std::chrono::duration<double>(limit).count());
}

}  // namespace

Outcome Client::evaluate(const session::Cell& cell) {
    const Report report = converse(Evaluate{cell}, cell.name);
    if (const auto* outcome = std::get_if<Outcome>(&report)) return *outcome;
    return lost(cell.name);
}

/// With the bytes that lie in the memory that the two share.
session::Answer Client::take_answer(session::Answer answer) const {
    auto* memory = std::get_if<session::MemoryBytes>(&answer);
    if (!memory || memory->in_window == 0) return answer;
    const auto bytes = window_.bytes();
    if (memory->in_window > bytes.size())
        return error("worker-lost", "the memory that the worker shares can't be read");
    memory->bytes.assign(reinterpret_cast<const char*>(bytes.data()), memory->in_window);
    return answer;
}

session::Answer Client::query(const session::Query& query, std::string_view name) {
    Report report = converse(query, std::string(name));
    if (measured_.interrupted && std::holds_alternative<session::Answer>(report))
        return error("interrupted", fmt::format("{} was interrupted", name));
    if (auto* answer = std::get_if<session::Answer>(&report)) return take_answer(std::move(*answer));
    // Without an answer the worker is gone, and the outcome says how.
    auto* outcome = std::get_if<Outcome>(&report);
    if (outcome && !outcome->diagnostics.empty()) return std::move(outcome->diagnostics.back());
    return error("worker-lost", fmt::format("{} was not answered", name));
}

/// While a cell runs: its worker waits until what it displays was seen.
session::Answer Client::read_displayed(const session::ReadBytes& request, const std::optional<Clock::time_point>& limit,
                                       int interrupt_fd) {
    const Diagnostic unread = error("interrupted", "the array was not read to its end");
    if (late_answers_ > 0) return unread;
    post(encode(session::Query(request)));
    while (true) {
        Wake wake = wait(limit, interrupt_fd);
        auto* answer = wake.report ? std::get_if<session::Answer>(&*wake.report) : nullptr;
        if (answer) return take_answer(std::move(*answer));
        if (wake.kind == Wake::Kind::report) end();  // it does not speak the protocol
        if (wake.kind == Wake::Kind::interrupt) {
            measured_.interrupted = true;
            if (!wake.from_terminal) signal(SIGINT);
        }
        if (wake.kind == Wake::Kind::interrupt || wake.kind == Wake::Kind::expired) ++late_answers_;
        return unread;
    }
}

void Client::show_displayed(const Displayed& displayed, const std::optional<Clock::time_point>& limit,
                            int interrupt_fd) {
    if (observer_.displayed)
        observer_.displayed(
            displayed, [&](const session::ReadBytes& request) { return read_displayed(request, limit, interrupt_fd); });
    acknowledge();
}

session::Completions Client::complete(const session::Complete& request) {
    Report report = converse(request, "a completion");
    // Who waits for keys is to know of a Ctrl-C that came meanwhile.
    if (measured_.interrupted) raise(SIGINT);
    auto* completions = std::get_if<session::Completions>(&report);
    return completions ? std::move(*completions) : session::Completions{};
}

/// False if it is the answer: `report` is to be given back.
bool Client::take_report(Conversation& talk, Report& report, int interrupt_fd) {
    if (const auto* finding = std::get_if<Finding>(&report)) {
        observer_.diagnostic(finding->diagnostic);
        acknowledge();
    } else if (const auto* told = std::get_if<TraceLine>(&report)) {
        if (observer_.told) observer_.told(*told);
        acknowledge();
    } else if (const auto* progress = std::get_if<ProgressReport>(&report)) {
        if (observer_.progress) observer_.progress(*progress);
        if (progress->what.empty()) acknowledge();
    } else if (const auto* displayed = std::get_if<Displayed>(&report)) {
        show_displayed(*displayed, talk.limit(), interrupt_fd);
    } else if (late_answers_ > 0 && std::holds_alternative<session::Answer>(report)) {
        --late_answers_;
    } else if (is_answer(talk.request, report)) {
        auto* outcome = std::get_if<Outcome>(&report);
        if (outcome && measured_.timed_out && outcome->status != Outcome::Status::ok) {
            outcome->exit_code = exit_codes::timeout;
            outcome->diagnostics.push_back(error("timeout", too_long(talk.name, settings_.timeout)));
        }
        if (outcome && talk.lacks_input && outcome->status == Outcome::Status::interrupted)
            outcome->diagnostics.push_back(no_input(talk.name));
        return false;
    } else {
        end();  // it does not speak the protocol
    }
    return true;
}

void Client::take_interrupt(Conversation& talk, bool from_terminal) {
    measured_.interrupted = true;
    if (settings_.confinement || talk.interrupted_before) {
        talk.killed_by_user = true;
        signal(SIGKILL);
    } else if (!from_terminal) {
        signal(SIGINT);
    }
    talk.interrupted_before = true;
    if (!talk.killed_by_user) talk.tell_at = Clock::now() + interrupt_told;
}

void Client::ask_for_input(Conversation& talk) {
    const auto asked = Clock::now();
    const Input input = observer_.input();
    if (talk.deadline) *talk.deadline += Clock::now() - asked;  // the user's time
    // Without an answer, too, what reads returns: a cell can't be left in the middle of the C library.
    input_->give(input);
    if (input.kind == Input::Kind::none && !std::exchange(talk.lacks_input, true)) signal(SIGINT);
}

void Client::expire(Conversation& talk) {
    if (measured_.timed_out || settings_.confinement) {
        talk.deadline.reset();
        end();
    } else {
        signal(SIGINT);
        talk.deadline = Clock::now() + interrupt_grace;
    }
    measured_.timed_out = true;
}

Outcome Client::outcome_of_end(const Conversation& talk) {
    Outcome outcome = settings_.native ? ended_program(talk.name) : lost(talk.name);
    outcome.seconds = std::chrono::duration<double>(Clock::now() - talk.begin).count();
    if (measured_.timed_out) {
        const std::string what = too_long(talk.name, settings_.timeout);
        outcome.exit_code = exit_codes::timeout;
        outcome.diagnostics = {
            error("timeout", settings_.native ? what : what + " and did not stop; the worker was ended")};
    } else if (settings_.native && measured_.interrupted) {
        outcome.status = Outcome::Status::interrupted;
        outcome.diagnostics.clear();
    } else if (talk.killed_by_user) {
        outcome.exit_code = exit_codes::signal_base + SIGINT;
        outcome.diagnostics = {error("interrupted", fmt::format("the worker was ended {} {} while running {}",
                                                                settings_.confinement ? "by" : "at the second",
                                                                settings_.stopped_by, talk.name))};
    }
    return outcome;
}

Report Client::converse(const Request& request, const std::string& name) {
    measured_ = {};
    if (const auto ready = wait_ready(); !ready) {
        Outcome outcome;
        outcome.status = Outcome::Status::lost;
        outcome.exit_code = exit_codes::unavailable;
        outcome.diagnostics.push_back(ready.error());
        return outcome;
    }
    const InterruptWatch interrupts;
    Conversation talk{.request = request, .name = name, .begin = Clock::now(), .deadline = {}, .tell_at = {}};
    cell_output_ = cell_reports_ = 0;
    const bool confined = settings_.confinement.has_value();
    if (const auto limit = confined ? settings_.wall_clock : settings_.timeout; limit > 0ms)
        talk.deadline = talk.begin + limit;
    if (confined) {
        const auto* evaluate = std::get_if<Evaluate>(&request);
        frames_.set_limit(evaluate && evaluate->cell.kind == session::Cell::Kind::load ? most_in_array : most_in_frame);
        usage_ = ProcessUsage(pid_, talk.begin, watch_interval);
    }
    const auto ended = [&](auto report) {
        measured_.exceeded = exceeded_;
        measured_.spent = usage_.spent();
        return Report(std::move(report));
    };

    post(encode(request));
    if (input_) input_->reopen();
    while (true) {
        Wake wake = wait(talk.limit(), interrupts.fd());
        switch (wake.kind) {
            case Wake::Kind::report:
                if (!take_report(talk, *wake.report, interrupts.fd())) return ended(std::move(*wake.report));
                break;
            case Wake::Kind::interrupt:
                take_interrupt(talk, wake.from_terminal);
                break;
            case Wake::Kind::input:
                ask_for_input(talk);
                break;
            case Wake::Kind::expired:
                if (!talk.tell_at || Clock::now() < *talk.tell_at) {
                    expire(talk);
                    break;
                }
                talk.tell_at.reset();
                if (observer_.told)
                    observer_.told({fmt::format("  stopping; a second {} ends the worker, and your variables with it",
                                                settings_.stopped_by)});
                break;
            case Wake::Kind::ended:
                return ended(outcome_of_end(talk));
        }
    }
}

}  // namespace cudash::worker
