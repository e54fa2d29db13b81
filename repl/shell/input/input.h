// Where what a person enters comes from: a terminal, edited; a terminal that can't move its cursor; a pipe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "repl/session/completion.h"
#include "repl/view/display.h"

namespace cudash::shell {

/// What was entered at once: a command, or cells that are whole; or a cell that is not, forced by two blank lines.
struct Entry {
    enum class Kind { text, interrupt, end };
    Kind kind = Kind::text;
    std::string text{};
    /// The text stands on the screen. If not (a paste), each piece is to be shown where it runs.
    bool shown = true;
};

class Input {
public:
    virtual ~Input() = default;
    virtual Entry read(const std::string& prompt) = 0;
    /// Shows a piece of an entry that is not on the screen, as if it had been typed at `prompt`.
    virtual void show(const std::string& prompt, std::string_view text) = 0;
    /// While waiting, calls `ready` when `fd` has something to read; it may print, and returns the prompt to show from
    /// then on. -1: nothing to watch. A pipe does not wait, and watches nothing.
    virtual void watch(int fd, std::function<std::string()> ready) = 0;
    /// Keeps a piece for the history.
    virtual void remember(std::string_view text) = 0;
    virtual bool is_terminal() const = 0;
    /// Each line is an entry, whatever stands in it.
    void set_by_lines(bool on) { by_lines_ = on; }

protected:
    bool by_lines_ = false;
};

/// How a text up to the cursor can go on.
using Completer = std::function<session::Completions(std::string_view)>;

struct InputSetup {
    std::string history_file{};  ///< empty: none
    std::size_t history_size = 0;
    Completer complete{};                   ///< empty: Tab indents
    std::function<std::string()> editor{};  ///< for ^X^E; none, or its result is empty: the one that is there
};

/// Of stdin. `display` must outlive it. Where it may send no control sequences, the system edits the lines.
std::unique_ptr<Input> standard_input(const view::Display& display, InputSetup setup);

}  // namespace cudash::shell
