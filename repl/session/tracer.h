// Which calls and launches of the user's code are told, and the calls of the last cell.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session/trace_line.h"
#include "runtime_wrappers/api/runtime.h"

namespace cudash::session {

class Tracer {
public:
    /// `say` shows a line at once.
    explicit Tracer(std::function<void(const TraceLine&)> say) : say_(std::move(say)) {}

    bool show_calls = false, show_launches = false;

    /// The user's code of a cell begins and ends; `runtime` is told what is wanted.
    void begin(api::Runtime& runtime);
    void end(api::Runtime& runtime);

    /// Events::trace and Events::launched.
    void called(api::Runtime& runtime, std::string_view call, std::string_view result);
    void launched(const api::Launched& launch);

    const std::vector<std::string>& last() const { return calls_; }
    bool forgotten() const { return forgotten_; }

private:
    std::function<void(const TraceLine&)> say_;
    std::vector<std::string> calls_;
    bool forgotten_ = false;  ///< there were more than are kept
};

}  // namespace cudash::session
