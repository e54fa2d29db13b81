#include "repl/session/debug/debugged_program.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

namespace cudash::session::debug {
namespace {

Diagnostic note(std::string code, std::string message) {
    Diagnostic made = error(std::move(code), std::move(message));
    made.severity = Diagnostic::Severity::note;
    return made;
}

}  // namespace

std::string named(const std::vector<std::string>& arguments, std::string_view name) {
    for (const std::string& each : arguments)
        if (each.size() > name.size() && each.starts_with(name) && each[name.size()] == '=')
            return each.substr(name.size() + 1);
    return {};
}

std::shared_ptr<virtual_gpu::Debugger> debugger_for(DebugSession& session, std::function<void()> over,
                                                    const std::string& memory,
                                                    std::optional<virtual_gpu::SoughtFinding> sought) {
    virtual_gpu::Debugger::Setup setup{
        .converse =
            [&session](virtual_gpu::Debugger& at, const virtual_gpu::Stopped& stopped) {
                virtual_gpu::Go go = session.converse(at, stopped);
                session.compile_conditions(stopped);
                return go;
            },
        .breaks = [&session](const virtual_gpu::Arrival& arrival) { return session.breaks(arrival); },
        .may_break = [&session](const virtual_gpu::Arrival& arrival,
                                virtual_gpu::Stops::Look& look) { return session.may_break(arrival, look); },
        .read_by_conditions = [&session]() -> const virtual_gpu::ConditionReads& {
            return session.read_by_conditions();
        },
        .over = std::move(over),
        .sought = std::move(sought)};
    if (!memory.empty()) setup.most_bytes = std::strtoull(memory.c_str(), nullptr, 10) << 20;
    return std::make_shared<virtual_gpu::Debugger>(std::move(setup));
}

DebuggedProgram::DebuggedProgram(DebugSession::Setup setup, std::string memory,
                                 std::function<void(const Diagnostic&)> tell)
    : session_(std::move(setup)), memory_(std::move(memory)), tell_(std::move(tell)) {}

std::shared_ptr<virtual_gpu::Debugger> DebuggedProgram::debugger_of(const std::string& kernel, bool has_source) {
    if (has_source)
        return debugger_for(
            session_, [this] { session_.launch_ends(); }, memory_,
            session_.seeks_finding() ? std::optional(virtual_gpu::SoughtFinding{}) : std::nullopt);
    if (told_.insert(kernel).second && tell_)
        tell_(note(
            "library-kernel",
            fmt::format("the debugger doesn't stop in {}: it is a library's, and its source is not known", kernel)));
    return nullptr;
}

void DebuggedProgram::conclude(Outcome& outcome) {
    outcome.text += session_.take_log();
    if (session_.launches() == 0)
        outcome.diagnostics.push_back(note("nothing-to-debug", "the program launched no kernel"));
    else if (session_.seeks_finding())
        outcome.diagnostics.push_back(
            note("no-finding", "the program ended: the checks found nothing in its launches"));
    else if (session_.was_quiet() && session_.breakpoints() != 0)
        outcome.diagnostics.push_back(
            note("no-breakpoint-hit",
                 session_.launches() == 1
                     ? "the program ended: its launch reached no breakpoint"
                     : fmt::format("the program ended: its {} launches reached no breakpoint", session_.launches())));
}

}  // namespace cudash::session::debug
