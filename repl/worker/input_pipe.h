// A worker's stdin that the front end feeds: it sees when the worker waits for more, as a terminal's user does.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "repl/worker/unique_fd.h"

namespace cudash::worker {

/// What a program that waits for input gets.
struct Input {
    enum class Kind {
        text,
        end,      ///< nothing more, for the rest of the cell
        none,     ///< the same, and the cell is stopped: there is nobody to ask
        stopped,  ///< the same; the user stops the cell instead, and a SIGINT has come
    };
    Kind kind = Kind::text;
    std::string text;
};

class InputPipe {
public:
    /// nullptr: this machine does not tell what a process waits for (proc_pid_syscall(5)), or errno says why.
    static std::unique_ptr<InputPipe> create();

    int reader() const { return reader_.get(); }
    int writer() const { return writer_.get(); }
    /// Whether a thread of `process`, or of one that it has started, waits to read from the empty pipe.
    bool is_waited_for(pid_t process) const;
    void give(const Input& input);
    /// What did not fit into the pipe yet.
    bool has_unsent() const { return !unsent_.empty(); }
    void flush();
    /// After an end, the next cell can read again.
    void reopen();

private:
    bool is_empty() const;
    bool has_waiting_thread(pid_t process, int depth) const;

    UniqueFd reader_, writer_;
    std::string name_;  ///< "pipe:[4711]", as links in /proc have it
    std::string unsent_;
};

}  // namespace cudash::worker
