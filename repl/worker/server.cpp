#include "repl/worker/server.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <mutex>

#include "repl/session/session.h"
#include "repl/worker/protocol.h"
#include "repl/worker/unique_fd.h"

namespace cudash::worker {
namespace {

void flush_output() {
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
}

class Server {
public:
    explicit Server(UniqueFd socket) : socket_(std::move(socket)) {}

    int run() {
        const auto first = receive();
        const auto* start = first ? std::get_if<Start>(&*first) : nullptr;
        if (!start) return 1;
        auto session = session::Session::create(start->options, listener());
        if (!session) {
            send(Failed{session.error()});
            return 1;
        }
        send(Ready{(*session)->device_description()});
        while (const auto request = receive()) {
            const auto* evaluate = std::get_if<Evaluate>(&*request);
            if (!evaluate) continue;
            const session::Outcome outcome = (*session)->evaluate(evaluate->cell);
            flush_output();
            send(outcome);
        }
        return 0;
    }

private:
    session::Listener listener() {
        return {[this](const Diagnostic& diagnostic) {
                    const std::lock_guard lock(mutex_);
                    flush_output();
                    send(Finding{diagnostic});
                    while (const auto request = receive())
                        if (std::holds_alternative<Seen>(*request)) break;
                },
                [this](std::string_view what, std::uint64_t done, std::uint64_t all) {
                    const std::lock_guard lock(mutex_);
                    send(Progress{std::string(what), done, all});
                }};
    }

    void send(const Report& report) { write_all(socket_.get(), encode(report)); }

    std::optional<Request> receive() {
        char bytes[4096];
        while (true) {
            if (const auto body = frames_.next()) return decode_request(*body);
            if (frames_.is_broken()) return std::nullopt;
            const ssize_t size = read(socket_.get(), bytes, sizeof bytes);
            if (size < 0 && errno == EINTR) continue;
            if (size <= 0) return std::nullopt;
            frames_.append({bytes, static_cast<std::size_t>(size)});
        }
    }

    UniqueFd socket_;
    FrameBuffer frames_;
    std::mutex mutex_;
};

}  // namespace

int serve(int socket) {
    // Out of the way of code that counts on the next descriptor being 3.
    constexpr int high_descriptor = 100;
    UniqueFd given(socket);
    UniqueFd moved(fcntl(socket, F_DUPFD_CLOEXEC, high_descriptor));
    given.reset();
    if (!moved) {
        std::fputs("cudash: --worker needs the socket that the front end gives it\n", stderr);
        return 1;
    }
    // Ctrl-C ends what a cell does, not the worker: the session installs its own handler. A handler, and not SIG_IGN,
    // so that processes which user code starts keep the default.
    std::signal(SIGINT, [](int) {});
    return Server(std::move(moved)).run();
}

}  // namespace cudash::worker
