// The worker as a process of its own, in its sandbox where the front end wants that.
#include <csignal>

#include "repl/session/session.h"
#include "repl/worker/compile_time.h"
#include "repl/worker/sandbox.h"
#include "repl/worker/server.h"

namespace cudash::worker {
namespace {

class SandboxHold final : public Hold {
public:
    explicit SandboxHold(const Confinement& confinement) : sandbox_(confinement) {}
    void before_session(const session::Options& options) override {
        fix_compile_time();
        session::Session::prepare(options);
        sandbox_.before_session();
    }
    void after_session() override { sandbox_.after_session(); }
    std::vector<std::string> active() const override { return sandbox_.active(); }

private:
    Sandbox sandbox_;
};

}  // namespace

int serve(int socket, int window) {
    const auto server = Server::create(socket, window, [](const Confinement& confinement) -> std::unique_ptr<Hold> {
        return std::make_unique<SandboxHold>(confinement);
    });
    if (!server) return 1;
    // Ctrl-C ends what a cell does, not the worker: the session installs its own handler. A handler, and not SIG_IGN,
    // so that processes which user code starts keep the default.
    std::signal(SIGINT, [](int) {});
    if (!server->open()) return 1;
    server->serve();
    return 0;
}

}  // namespace cudash::worker
