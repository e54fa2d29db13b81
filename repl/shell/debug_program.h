// `cudash debug`: a program whose launches stop in the debugger.
#pragma once

#include <string>
#include <vector>

#include "repl/shell/notebook.h"

namespace cudash::shell {

struct DebuggedProgram {
    std::vector<std::string> files, arguments;
    std::vector<std::string> code;    ///< instead of files: cells, the last of which is debugged
    std::vector<std::string> breaks;  ///< as `break` takes them; without any, the first launch stops
    bool finding = false;             ///< it stops at the first thing that a check finds
};

/// Reads the program in and stands before its main. The outcome's status is `stopped`, or it has been shown why not.
session::Outcome begin_debugging(Notebook& notebook, const std::vector<std::string>& files,
                                 const std::vector<std::string>& arguments);
/// The same, with the debugger's prompt. Returns the program's exit code.
int debug_program(Notebook& notebook, const DebuggedProgram& program);
/// The same of a program that nvcc built (exec --debug).
int debug_executable(Notebook& notebook, const std::string& name, const std::vector<std::string>& breaks, bool finding);

}  // namespace cudash::shell
