// Where the lines of a lesson come from: a terminal, or a pipe.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "repl/view/display.h"

namespace cudash::lesson {

class Input {
public:
    enum class Event { line, interrupt, end };
    virtual ~Input() = default;
    virtual Event read(const std::string& prompt, std::string& line) = 0;
    /// While waiting for a line, calls `ready` when `fd` has something to read; it returns the prompt to show from then
    /// on. -1: nothing to watch. A pipe does not wait, and watches nothing.
    virtual void watch(int fd, std::function<std::string()> ready) = 0;
    /// More lines are there already: the rest of a paste.
    virtual bool more_input() = 0;
    virtual bool is_terminal() const = 0;
};

/// Of stdin. `display` must outlive it.
std::unique_ptr<Input> standard_input(const view::Display& display);

}  // namespace cudash::lesson
