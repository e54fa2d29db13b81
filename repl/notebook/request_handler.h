// The requests of clients that a kernel answers, as the server hands them on. Answers are the contents of replies:
// https://jupyter-client.readthedocs.io/en/stable/messaging.html
#pragma once

#include <array>
#include <string>

#include "repl/json.h"

namespace cudash::notebook {

using nlohmann::json;

struct ExecuteRequest {
    int execution_count = 1;
    std::string code;
    bool silent = false;
    json user_expressions = json::object();
    bool allow_stdin = false;
};

class RequestHandler {
public:
    virtual ~RequestHandler() = default;

    virtual json execute(const ExecuteRequest& request) = 0;
    /// `cursor`: in characters, as the protocol counts.
    virtual json complete(const std::string& code, int cursor) = 0;
    virtual json inspect(const std::string& code, int cursor) = 0;
    virtual json is_complete(const std::string& code) = 0;
    /// May be asked on any thread.
    virtual json info() const = 0;

    /// What the program writes between cells: where it can be waited for (-1: nowhere), and the hand-over.
    virtual std::array<int, 2> output_descriptors() = 0;
    virtual void take_output() = 0;
};

}  // namespace cudash::notebook
