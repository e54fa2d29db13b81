// The session as this process has it: one object, whose functions stand in session.cpp (its beginning, and what it
// answers), cells.cpp (code), whole_program.cpp (files with a main function), debugging.cpp and conclusion.cpp (how
// what ran has ended).
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repl/session/clang/host_engine.h"
#include "repl/session/debug/debug_session.h"
#include "repl/session/device/device_unit.h"
#include "repl/session/guard.h"
#include "repl/session/inspect.h"
#include "repl/session/memory/memory.h"
#include "repl/session/runtime_setup.h"
#include "repl/session/session.h"
#include "repl/session/tracer.h"
#include "runtime_wrappers/api/runtime.h"

namespace cudash::session {

class InterpretedSession : public Session {
public:
    InterpretedSession(const Options& options, Listener listener)
        : options_(options), listener_(std::move(listener)), tracer_([this](const TraceLine& told) {
              flush_output();
              if (listener_.told) listener_.told(told);
          }) {
        tracer_.show_calls = options.trace;
        tracer_.show_launches = options.launches;
    }
    ~InterpretedSession() override;

    std::optional<Diagnostic> start();
    Outcome evaluate(const Cell& cell) override;
    Answer answer(const Query& query, std::span<std::byte> window) override {
        Answer result = session::answer(inspected(), query, window);
        flush_output();
        return result;
    }
    Completions complete(const Complete& request) override { return engine_->complete(request.text); }
    std::string device_description() const override { return runtime_->device_description(); }

private:
    Outcome answer(const Cell& cell);
    Inspected inspected() {
        return {*engine_,
                *unit_,
                *runtime_,
                tracer_,
                shown_,
                with_last_value_,
                [this](const std::string& file, unsigned line) { return source_line(file, line); }};
    }
    HostEngine::Compiled compile(const Cell& cell);
    Outcome compile_and_run(const Cell& cell);
    Outcome initialize(const Cell& cell, const HostEngine::Compiled& compiled, Outcome outcome);
    Outcome take_device_text(const Cell& cell);
    Outcome link_unresolved();
    Outcome compile_device();
    Outcome debug(const Cell& cell);
    Outcome debug_main(const Cell& cell);
    debug::DebugSession::Setup debug_setup();
    Outcome compile_program();
    void note_finding(const Diagnostic& diagnostic);
    Outcome run_main(const Cell& cell);
    void place_managed(const std::string& shadow);
    void load_compiler() const;
    void show_device_variable(const Cell& cell, Outcome& outcome);
    void conclude(const GuardedEnd& end, const Cell& cell, Outcome& outcome);
    void conclude_device(const Cell& cell, Outcome& outcome);
    Diagnostic fault(const GuardedEnd& end, const Cell& cell, std::optional<Diagnostic> missing) const;
    void tell_fault_on_thread(const GuardedEnd& end);
    // The steps of start().
    /// What the runtime tells while code runs.
    api::Events events();
    /// Gives the engine what host code calls and asks for.
    void serve_host_code();
    /// The function behind a name that nothing has defined; nullptr: nobody has it.
    const void* resolve(std::string_view name) const;
    /// -D.
    std::optional<Diagnostic> define_options();
    api::CallPlace place() const { return place(api::frame_of_call()); }
    api::CallPlace place(const void* frame) const;
    void display(Displayed array, const void* frame);
    std::string source_line(const std::string& file, unsigned line) const;
    SourceSpot spot(const CodePlace& place) const;

    /// For the handler of Ctrl-C.
    static void stop_device() noexcept;

    static InterpretedSession* of_this_process;
    static api::Runtime* interruptible;         ///< that Ctrl-C must stop
    static std::atomic<bool> interrupt_wanted;  ///< for the debugger, which may have no launch to stop
    Options options_;
    Listener listener_;
    std::string current_cell_;
    std::set<std::string> one_line_cells_;  ///< their name says enough
    std::map<std::string, std::string> cell_texts_;
    std::vector<std::pair<std::string, std::uint64_t>> first_launches_;  ///< of the cells, in their order
    std::optional<FoundInLaunch> found_;                                 ///< in this cell
    std::vector<Cell> unresolved_;                                       ///< files that wait for a definition
    /// Files of a program: their global variables begin when all of it is known to compile.
    std::vector<std::pair<Cell, HostEngine::Compiled>> to_initialize_;
    std::uint32_t files_ = 0;                   ///< compiled so far
    std::map<std::string, std::string> shown_;  ///< types of cells' values
    std::set<std::string> with_last_value_;     ///< cells that use `_`
    Tracer tracer_;
    bool checks_device_ = false;  ///< the cell fails if device code refuses what it declares
    bool linking_ = false;        ///< the last attempt: what is missing now is an error
    std::unique_ptr<HostEngine> engine_;
    std::unique_ptr<DeviceUnit> unit_;
    std::unique_ptr<api::Runtime> runtime_;
};

}  // namespace cudash::session
