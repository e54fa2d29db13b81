// The worker's side: one session, driven by the front end through a socket.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "repl/session/outcome.h"
#include "repl/worker/sandbox.h"

namespace cudash::worker {

/// What holds a worker that runs a stranger's code.
class Hold {
public:
    virtual ~Hold() = default;
    virtual void before_session(const session::Options& options) = 0;
    virtual void after_session() = 0;
    /// The names of the layers that hold.
    virtual std::vector<std::string> active() const = 0;
};
using MakeHold = std::unique_ptr<Hold> (*)(const Confinement&);

class Server {
public:
    /// The front end is at the other end of `socket`. `window`: memory that is shared with it, for what is too long for
    /// messages; -1: none. Both descriptors are moved out of the way. `make_hold`: for a front end that wants its
    /// worker confined; nullptr: this worker can't be. nullptr if `socket` is none.
    static std::unique_ptr<Server> create(int socket, int window, MakeHold make_hold);
    virtual ~Server() = default;
    /// Opens the session that the front end asks for first, and tells it how that went. False: there is none.
    virtual bool open() = 0;
    /// Serves the front end until it hangs up.
    virtual void serve() = 0;
};

/// The whole life of a worker. Returns the process's exit status.
int serve(int socket, int window);

}  // namespace cudash::worker
