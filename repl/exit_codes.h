// What the program's exit code says. `run`, `exec` and exit() in a cell give the program's own instead, and 128 + N
// says that signal N ended it or the worker.
#pragma once

#include <array>
#include <string_view>

namespace cudash::exit_codes {

#define EXIT_CODE(name, number, meaning) inline constexpr int name = number;
#include "repl/exit_codes.def"
#undef EXIT_CODE

/// Of a process that a signal ended, as shells have it.
inline constexpr int signal_base = 128;

struct Row {
    int code;
    std::string_view meaning;
};

#define EXIT_CODE(name, number, meaning) Row{number, meaning},
inline constexpr std::array table = {
#include "repl/exit_codes.def"
};
#undef EXIT_CODE

}  // namespace cudash::exit_codes
