// A whole program under one debugger, whoever runs its host code: the interpreter, or the process that nvcc built.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "repl/session/debug/debug_session.h"
#include "runtime_wrappers/virtual_gpu/debug/debugger.h"

namespace cudash::session::debug {

/// What follows `name=` among the arguments; empty: nothing does.
std::string named(const std::vector<std::string>& arguments, std::string_view name);
/// `memory`: MiB for checkpoints; empty: as many as there are without a setting.
std::shared_ptr<virtual_gpu::Debugger> debugger_for(DebugSession& session, std::function<void()> over,
                                                    const std::string& memory,
                                                    std::optional<virtual_gpu::SoughtFinding> sought = {});

class DebuggedProgram {
public:
    /// `tell`: a note, as it happens.
    DebuggedProgram(DebugSession::Setup setup, std::string memory, std::function<void(const Diagnostic&)> tell);

    /// Takes commands until one of them starts the program.
    void begin() { session_.before_program(); }
    /// For a launch (api::Runtime::DebugLaunch).
    std::shared_ptr<virtual_gpu::Debugger> debugger_of(const std::string& kernel, bool has_source);
    /// Adds what is to be said of its launches.
    void conclude(Outcome& outcome);

private:
    DebugSession session_;
    std::string memory_;
    std::function<void(const Diagnostic&)> tell_;
    std::set<std::string> told_;  ///< kernels without a source
};

}  // namespace cudash::session::debug
