#include "repl/worker/server.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <optional>

#include "repl/session/session.h"
#include "repl/worker/protocol.h"
#include "repl/worker/shared_window.h"
#include "repl/worker/unique_fd.h"

namespace cudash::worker {
namespace {

void flush_output() {
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
}

/// Lines are seen as they are written, and what a program asks before it reads the answer, as in a terminal.
void watch_lines() {
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    std::setvbuf(stdin, nullptr, _IOLBF, BUFSIZ);
}

/// The end of its input that a cell came to is not that of the next one's.
void forget_end_of_input() {
    std::clearerr(stdin);
    std::cin.clear();
}

/// While it lives, stdout and stderr lead nowhere.
class Silence {
public:
    Silence() : output_(dup(STDOUT_FILENO)), errors_(dup(STDERR_FILENO)) {
        flush_output();
        const UniqueFd nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
        if (!nowhere || !output_ || !errors_) return;
        dup2(nowhere.get(), STDOUT_FILENO);
        dup2(nowhere.get(), STDERR_FILENO);
    }
    ~Silence() {
        flush_output();
        if (output_) dup2(output_.get(), STDOUT_FILENO);
        if (errors_) dup2(errors_.get(), STDERR_FILENO);
    }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

private:
    UniqueFd output_, errors_;
};

class SocketServer final : public Server {
public:
    SocketServer(UniqueFd socket, SharedWindow window, MakeHold make_hold)
        : socket_(std::move(socket)), window_(std::move(window)), make_hold_(make_hold) {}

    bool open() override {
        const auto first = receive();
        const auto* start = first ? std::get_if<Start>(&*first) : nullptr;
        if (!start || (start->confinement && !make_hold_)) return false;
        session::Options options = start->options;
        is_watched_ = options.line_buffered;
        if (is_watched_) watch_lines();
        // A confined worker can't start programs.
        if (start->confinement) options.second_opinion = false;
        const std::unique_ptr<Hold> hold = start->confinement ? make_hold_(*start->confinement) : nullptr;
        if (hold) hold->before_session(options);
        auto session = session::Session::create(options, listener());
        if (!session) {
            send(Failed{session.error()});
            return false;
        }
        session_ = std::move(*session);
        if (hold) hold->after_session();
        send(Ready{session_->device_description(), hold ? hold->active() : std::vector<std::string>()});
        return true;
    }

    void serve() override {
        while (const auto request = receive()) {
            if (const auto* query = std::get_if<Query>(&*request)) {
                send(session_->answer(*query, window_.bytes()));
                continue;
            }
            if (const auto* complete = std::get_if<Complete>(&*request)) {
                send(session_->complete(*complete));
                continue;
            }
            const auto* evaluate = std::get_if<Evaluate>(&*request);
            if (!evaluate) continue;
            if (is_watched_) forget_end_of_input();
            std::optional<Silence> silence;
            if (evaluate->cell.quiet) silence.emplace();
            const session::Outcome outcome = session_->evaluate(evaluate->cell);
            silence.reset();
            flush_output();
            send(outcome);
        }
    }

private:
    session::Listener listener() {
        return {[this](const Diagnostic& diagnostic) {
                    const std::lock_guard lock(mutex_);
                    flush_output();
                    send(Finding{diagnostic});
                    wait_until_seen();
                },
                [this](std::string_view what, std::uint64_t done, std::uint64_t all) {
                    const std::lock_guard lock(mutex_);
                    send(ProgressReport{std::string(what), done, all});
                    if (what.empty()) wait_until_seen();
                },
                [this](const session::TraceLine& told) {
                    const std::lock_guard lock(mutex_);
                    flush_output();
                    send(told);
                    wait_until_seen();
                },
                [this](const session::Displayed& displayed) {
                    const std::lock_guard lock(mutex_);
                    flush_output();
                    send(displayed);
                    answer_until_seen();
                },
                [this](const session::Outcome& stopped) { return next_command(stopped); }};
    }

    /// While a launch stands in the debugger, the session can't be asked anything else.
    std::optional<std::string> next_command(const session::Outcome& stopped) {
        flush_output();
        send(stopped);
        const Diagnostic busy = error("in-debugger", "a launch is stopped in the debugger",
                                      "`print EXPR` shows values; `continue` or `abort` gives the session back");
        while (const auto request = receive()) {
            if (const auto* evaluate = std::get_if<Evaluate>(&*request)) {
                if (evaluate->cell.kind == session::Cell::Kind::debug_command) return evaluate->cell.text;
                session::Outcome refused = session::refuse(busy);
                refused.status = session::Outcome::Status::stopped;
                send(refused);
            } else if (std::holds_alternative<Query>(*request)) {
                send(session::Answer(busy));
            } else if (std::holds_alternative<session::Complete>(*request)) {
                send(session::Completions{});
            }
        }
        return std::nullopt;
    }

    void wait_until_seen() {
        while (const auto request = receive())
            if (std::holds_alternative<Seen>(*request)) break;
    }

    /// The front end reads the array that it shows, and nothing else: code of the session is running.
    void answer_until_seen() {
        while (const auto request = receive()) {
            if (std::holds_alternative<Seen>(*request)) break;
            const auto* query = std::get_if<Query>(&*request);
            if (!query) continue;
            if (std::holds_alternative<session::ReadBytes>(*query))
                send(session_->answer(*query, window_.bytes()));
            else
                send(session::Answer(error("busy", "the session runs code")));
        }
    }

    void send(const Report& report) { write_all(socket_.get(), encode(report)); }

    std::optional<Request> receive() {
        char bytes[65536];
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
    SharedWindow window_;
    MakeHold make_hold_;
    FrameBuffer frames_;
    std::mutex mutex_;
    bool is_watched_ = false;  ///< by somebody who answers what the program asks
    std::unique_ptr<session::Session> session_;
};

}  // namespace

std::unique_ptr<Server> Server::create(int socket, int window, MakeHold make_hold) {
    // Out of the way of code that counts on the next descriptor being 3.
    constexpr int high_descriptor = 100;
    UniqueFd given(socket);
    UniqueFd moved(fcntl(socket, F_DUPFD_CLOEXEC, high_descriptor));
    given.reset();
    if (!moved) {
        std::fputs("cudash: a worker needs the socket that the front end gives it\n", stderr);
        return nullptr;
    }
    UniqueFd moved_window(window >= 0 ? fcntl(window, F_DUPFD_CLOEXEC, high_descriptor) : -1);
    if (window >= 0) close(window);
    return std::make_unique<SocketServer>(std::move(moved), SharedWindow(std::move(moved_window)), make_hold);
}

}  // namespace cudash::worker
