// Launches under the debugger, of a cell and of a whole program.
#include "repl/session/interpreted_session.h"

#include <cstdlib>

#include "repl/session/clang/dwarf_reader.h"
#include "repl/session/debug/debugged_program.h"

namespace cudash::session {

using debug::debugger_for;
using debug::named;

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
        for (const nvrtc::DebugPart& part : unit_->debug_parts())
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
    debug::DebuggedProgram program(std::move(setup), named({cell.text}, "memory"), listener_.diagnostic);
    interrupt_wanted = false;
    program.begin();
    runtime_->debug_launches(
        [&](const std::string& kernel, bool has_source) { return program.debugger_of(kernel, has_source); });
    // Until it ends, Ctrl-C stops the launch that runs, or the next one.
    Guard::hold_interrupts(true);
    Outcome outcome = run_main(cell);
    runtime_->debug_launches({});
    Guard::hold_interrupts(false);
    program.conclude(outcome);
    return outcome;
}

}  // namespace cudash::session
