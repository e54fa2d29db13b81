// Launches under the debugger, of a cell and of a whole program.
#include "repl/session/interpreted_session.h"

#include <fmt/format.h>

#include <cstdlib>
#include <set>

#include "repl/session/clang/dwarf_reader.h"
#include "runtime_wrappers/virtual_gpu/debug/debugger.h"

namespace cudash::session {
namespace {

Diagnostic note(std::string code, std::string message) {
    Diagnostic made = error(std::move(code), std::move(message));
    made.severity = Diagnostic::Severity::note;
    return made;
}

/// What follows `name=` among the arguments; empty: nothing does.
std::string named(const std::vector<std::string>& arguments, std::string_view name) {
    for (const std::string& each : arguments)
        if (each.size() > name.size() && each.starts_with(name) && each[name.size()] == '=')
            return each.substr(name.size() + 1);
    return {};
}

std::shared_ptr<virtual_gpu::Debugger> debugger_for(debug::DebugSession& session, std::function<void()> over,
                                                    const std::string& memory,
                                                    std::optional<virtual_gpu::SoughtFinding> sought = {}) {
    virtual_gpu::Debugger::Setup setup{
        .converse = [&session](virtual_gpu::Debugger& at,
                               const virtual_gpu::Stopped& stopped) { return session.converse(at, stopped); },
        .breaks = [&session](const virtual_gpu::Arrival& arrival) { return session.breaks(arrival); },
        .over = std::move(over),
        .sought = std::move(sought)};
    if (!memory.empty()) setup.most_bytes = std::strtoull(memory.c_str(), nullptr, 10) << 20;
    return std::make_shared<virtual_gpu::Debugger>(std::move(setup));
}

}  // namespace

/// A finding of a launch is what `:debug last` opens it at.
void InterpretedSession::note_finding(const Diagnostic& diagnostic) {
    const std::uint64_t number = runtime_ ? runtime_->launch_told_of() : 0;
    if (number == 0 || found_ || diagnostic.code == "kernel-cancelled" || diagnostic.code == "kernel-timeout") return;
    // It may have been launched by an earlier cell.
    for (const auto& [cell, before] : first_launches_)
        if (before < number) found_ = {cell, number - before - 1, diagnostic.code, diagnostic.where};
}

debug::DebugSession::Setup InterpretedSession::debug_setup() {
    debug::DebugSession::Setup setup;
    setup.ask = [this](const Outcome& stopped) {
        Guard::hold_interrupts(true);
        Outcome shown = stopped;
        for (Diagnostic& diagnostic : shown.diagnostics) name_as_written(diagnostic);
        return listener_.debug ? listener_.debug(shown) : std::nullopt;
    };
    setup.ptx = [this]() -> std::shared_ptr<const std::string> {
        const auto unit = unit_->debug_unit(runtime_->target());
        return unit ? std::make_shared<const std::string>((*unit)->code) : nullptr;
    };
    setup.read = [this](std::string_view ptx) {
        debug::DebugInfo info;
        for (const DeviceUnit::DebugPart& part : unit_->debug_parts())
            info.append(read_debug_info(std::string(ptx) + "\n" + part.sections), part.renamed);
        if (unit_->debug_parts().empty()) info = read_debug_info(ptx);
        engine_->complete_debug_info(info);
        return info;
    };
    setup.forget_interrupt = [this] {
        interrupt_wanted = false;
        runtime_->forget_interrupt();
    };
    return setup;
}

/// The cell runs as any other, with its first launch under the debugger.
Outcome InterpretedSession::debug(const Cell& cell) {
    if (!runtime_->is_virtual())
        return refuse(error("needs-virtual", "the debugger needs the virtual GPU", "try :device virtual"));
    debug::DebugSession::Setup setup = debug_setup();
    const std::string launch = named(cell.arguments, "launch"), memory = named(cell.arguments, "memory");
    std::optional<virtual_gpu::SoughtFinding> sought;
    if (!launch.empty()) {
        sought = {named(cell.arguments, "code"), named(cell.arguments, "file"),
                  static_cast<unsigned>(std::strtoul(named(cell.arguments, "line").c_str(), nullptr, 10))};
        setup.seeks_finding = true;
    }
    debug::DebugSession session(std::move(setup));
    bool launched = false;
    std::uint64_t before = std::strtoull(launch.c_str(), nullptr, 10);  // launches that run as ever
    runtime_->debug_launches([&](const std::string&, bool) -> std::shared_ptr<virtual_gpu::Debugger> {
        if (launched) return nullptr;
        if (before != 0) {
            --before;
            return nullptr;
        }
        launched = true;
        return debugger_for(
            session, [] { Guard::hold_interrupts(false); }, memory, sought);
    });
    Outcome outcome = compile_and_run(cell);
    runtime_->debug_launches({});
    Guard::hold_interrupts(false);
    outcome.taken_back = session.was_abandoned();
    outcome.text += session.take_log();
    if (session.was_abandoned()) outcome.text += "the launch was taken back: memory is as it was before it\n";
    if (!launched && outcome.status == Outcome::Status::ok) {
        Diagnostic note = error("nothing-to-debug", "the code launched no kernel", ":debug k<<<1, 32>>>(p)");
        note.severity = Diagnostic::Severity::warning;
        outcome.diagnostics.push_back(std::move(note));
    }
    return outcome;
}

/// A program with all of its launches under one debugger. Who leaves it ends the process: a launch that was taken back
/// would be none that its host code could go on from.
Outcome InterpretedSession::debug_main(const Cell& cell) {
    if (!runtime_->is_virtual())
        return refuse(error("needs-virtual", "the debugger needs the virtual GPU", "leave --device gpu away"));
    if (Outcome compiled = compile_program(); compiled.status != Outcome::Status::ok) return compiled;
    if (unit_->empty()) return refuse(error("nothing-to-debug", "the program has no kernel", "`cudash run` runs it"));
    if (const auto unit = unit_->debug_unit(runtime_->target()); !unit) return refuse(unit.error());
    debug::DebugSession::Setup setup = debug_setup();
    setup.is_program = true;
    setup.was_interrupted = [] { return interrupt_wanted.exchange(false); };
    setup.ask = [this, ask = std::move(setup.ask)](const Outcome& stopped) {
        flush_output();
        auto line = ask(stopped);
        if (!line) std::_Exit(0);
        return line;
    };
    debug::DebugSession session(std::move(setup));
    const std::string memory = named({cell.text}, "memory");
    interrupt_wanted = false;
    session.before_program();
    std::set<std::string> told;
    runtime_->debug_launches([&](const std::string& kernel, bool has_source) -> std::shared_ptr<virtual_gpu::Debugger> {
        if (has_source)
            return debugger_for(
                session, [&] { session.launch_ends(); }, memory,
                session.seeks_finding() ? std::optional(virtual_gpu::SoughtFinding{}) : std::nullopt);
        if (told.insert(kernel).second && listener_.diagnostic)
            listener_.diagnostic(note("library-kernel", fmt::format("the debugger doesn't stop in {}: it is a "
                                                                    "library's, and its source is not known",
                                                                    kernel)));
        return nullptr;
    });
    // Until it ends, Ctrl-C stops the launch that runs, or the next one.
    Guard::hold_interrupts(true);
    Outcome outcome = run_main(cell);
    runtime_->debug_launches({});
    Guard::hold_interrupts(false);
    outcome.text += session.take_log();
    if (session.launches() == 0)
        outcome.diagnostics.push_back(note("nothing-to-debug", "the program launched no kernel"));
    else if (session.seeks_finding())
        outcome.diagnostics.push_back(
            note("no-finding", "the program ended: the checks found nothing in its launches"));
    else if (session.was_quiet() && session.breakpoints() != 0)
        outcome.diagnostics.push_back(
            note("no-breakpoint-hit",
                 session.launches() == 1
                     ? "the program ended: its launch reached no breakpoint"
                     : fmt::format("the program ended: its {} launches reached no breakpoint", session.launches())));
    return outcome;
}

}  // namespace cudash::session
