// Starts the worker's process.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "repl/worker/sandbox.h"

namespace cudash::worker {

/// What a worker is given; -1: none.
struct Descriptors {
    int socket = -1;
    int output = -1;  ///< its stdout and stderr
    int window = -1;  ///< memory that is shared with it
};

/// Runs `PROGRAM --worker SOCKET,WINDOW`; it dies with this thread. With `no_input` its stdin is empty. A confined one
/// has no descriptor but its socket and output, no environment but what it needs, and namespaces of its own where the
/// kernel lets this user make them. -1: errno says why.
pid_t spawn_worker(const std::string& program, const Descriptors& descriptors, bool no_input,
                   const std::optional<Confinement>& confinement);

}  // namespace cudash::worker
