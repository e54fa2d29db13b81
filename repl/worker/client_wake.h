// What a Client waits for, and what it knows of a request while it waits: its own files' affair.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "repl/worker/client.h"

namespace cudash::worker {

struct Client::Wake {
    enum class Kind { report, ended, interrupt, expired, input };
    Kind kind = Kind::ended;
    std::optional<Report> report;
    bool from_terminal = false;  ///< of an interrupt: the worker got it too
};

/// A request that was sent and is not answered yet.
struct Client::Conversation {
    const Request& request;
    const std::string& name;  ///< of the cell or command, for messages
    Clock::time_point begin;
    std::optional<Clock::time_point> deadline;
    std::optional<Clock::time_point> tell_at;  ///< when the user is told how to end a worker that does not stop
    bool interrupted_before = false;
    bool killed_by_user = false;
    bool lacks_input = false;  ///< it reads, and nobody answers

    std::optional<Clock::time_point> limit() const {
        return tell_at && (!deadline || *tell_at < *deadline) ? tell_at : deadline;
    }
};

}  // namespace cudash::worker
