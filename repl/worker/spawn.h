// Starts the worker's process.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "repl/worker/sandbox.h"

namespace cudash::worker {

/// What a worker is given; -1: none.
struct Descriptors {
    int socket = -1;
    int output = -1;  ///< its stdout, and its stderr where that has none of its own
    int errors = -1;  ///< its stderr
    int input = -1;   ///< its stdin
    int window = -1;  ///< memory that is shared with it
};

/// A program that nvcc built. The library that is loaded into it makes it a worker (repl/exec).
struct NativeProgram {
    std::string path;
    std::vector<std::string> arguments;  ///< argv[0] first
    std::string preload;                 ///< one or several, as LD_PRELOAD
};

/// Runs `PROGRAM --worker SOCKET,WINDOW`; it dies with this thread. With `no_input` its stdin is empty. A confined one
/// has no descriptor but its socket and output, no environment but what it needs, and namespaces of its own where the
/// kernel lets this user make them. -1: errno says why.
pid_t spawn_worker(const std::string& program, const Descriptors& descriptors, bool no_input,
                   const std::optional<Confinement>& confinement);
/// Runs the program itself, with its own arguments.
pid_t spawn_program(const NativeProgram& program, const Descriptors& descriptors, bool no_input);

}  // namespace cudash::worker
