// Lines from a terminal, with libedit: editing, history, bracketed paste.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace cudash::shell {

class LineReader {
public:
    /// `history_file` may be empty; its folder is made if missing.
    explicit LineReader(std::string history_file);
    ~LineReader();
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;

    enum class Event { line, interrupt, end };
    /// Waits for a line, without its line end.
    Event read(const std::string& prompt, std::string& line);
    /// More lines are there already: the rest of a paste, or text typed ahead.
    bool more_input();
    /// While waiting for keys, calls `ready` when `fd` has something to read; `ready` returns the prompt to show from
    /// then on. -1: nothing to watch.
    void watch(int fd, std::function<std::string()> ready);
    void remember(const std::string& line);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// $XDG_STATE_HOME/cudash/history, or below ~/.local/state; empty without a home.
std::string default_history_file();

}  // namespace cudash::shell
