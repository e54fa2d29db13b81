#include "repl/worker/client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>
#include <thread>
#include <utility>

#include "repl/worker/client_wake.h"
#include "repl/worker/interrupt_watch.h"

namespace cudash::worker {
namespace {

using namespace std::chrono_literals;
using session::Outcome;

constexpr auto stop_grace = 2s;
constexpr auto tick_interval = 20ms;  ///< of looks whether a cell waits for input
constexpr int patience = 4;  ///< a confined worker's cell may take so many times its processor time, waiting included
constexpr std::uint64_t most_reports = 16u << 20;  ///< bytes that a confined worker may send for one cell
constexpr std::size_t most_unsent = 1u << 20;      ///< that a confined worker may leave unread while it reports
constexpr std::uint64_t most_threads = 256;        ///< of a confined worker, beside one for each processor
constexpr auto most_start = 600s;                  ///< until a confined worker is ready; no stranger's code runs before

bool wait_readable(int fd, std::chrono::milliseconds limit) {
    pollfd entry{fd, POLLIN, 0};
    int ready = 0;
    do {
        ready = poll(&entry, 1, static_cast<int>(limit.count()));
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

}  // namespace

Client::Client(Settings settings, Observer observer) : settings_(std::move(settings)), observer_(std::move(observer)) {}

Client::~Client() {
    stop();
}

void Client::start() {
    if (pid_ >= 0) return;
    frames_ = {};
    late_answers_ = 0;
    unsent_.clear();
    exceeded_.reset();
    layers_.clear();
    device_.clear();
    failure_ = {};
    spawn();
    if (pid_ < 0) return;
    state_ = State::starting;
    post(encode(Start{settings_.options, settings_.confinement}));
}

/// A worker that does not read must not make the front end wait: what it does not take now goes out as it reads on.
void Client::post(std::string frame) {
    if (unsent_.empty())
        unsent_ = std::move(frame);
    else
        unsent_ += frame;
    flush();
}

void Client::flush() {
    std::size_t sent = 0;
    while (sent < unsent_.size()) {
        const ssize_t size =
            send(socket_.get(), unsent_.data() + sent, unsent_.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (size <= 0) {  // a worker that is gone; wait() finds out how
            sent = unsent_.size();
            break;
        }
        sent += static_cast<std::size_t>(size);
    }
    unsent_.erase(0, sent);
    if (unsent_.empty()) unsent_.shrink_to_fit();
}

void Client::spawn() {
    int sockets[2];
    int pipe_ends[2] = {-1, -1};
    int error_ends[2] = {-1, -1};
    state_ = State::failed;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 ||
        (observer_.output && pipe2(pipe_ends, O_CLOEXEC) != 0) ||
        (observer_.errors && pipe2(error_ends, O_CLOEXEC) != 0)) {
        failure_ = error("worker-start", fmt::format("the worker could not be started: {}", std::strerror(errno)));
        return;
    }
    socket_ = UniqueFd(sockets[0]);
    const UniqueFd other(sockets[1]), output_end(pipe_ends[1]), errors_end(error_ends[1]);
    output_ = UniqueFd(pipe_ends[0]);
    errors_ = UniqueFd(error_ends[0]);
    for (const UniqueFd* each : {&output_, &errors_})
        if (*each) fcntl(each->get(), F_SETFL, O_NONBLOCK);
    input_ = observer_.input ? InputPipe::create() : nullptr;
    if (!settings_.confinement) window_ = SharedWindow::create();

    // Execed through /proc so that a rebuild under a running shell cannot mix two versions.
    const std::string program = settings_.program.empty() ? "/proc/self/exe" : settings_.program;
    const Descriptors given{.socket = other.get(),
                            .output = output_end.get(),
                            .errors = errors_end.get(),
                            .input = input_ ? input_->reader() : -1,
                            .window = window_.fd()};
    const bool no_input = settings_.no_input || (observer_.input && !input_);
    pid_ = settings_.native ? spawn_program(*settings_.native, given, no_input)
                            : spawn_worker(program, given, no_input, settings_.confinement);
    if (pid_ > 0) process_ = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    if (pid_ < 0 || !process_) {
        failure_ = error("worker-start", fmt::format("the worker could not be started: {}", std::strerror(errno)));
        end();
    }
}

int Client::reap() {
    if (pid_ >= 0) {
        rusage used{};
        while (wait4(pid_, &status_, 0, &used) < 0 && errno == EINTR) {
        }
        peak_memory_ = std::max(peak_memory_, static_cast<std::uint64_t>(used.ru_maxrss) * 1024);
    }
    pid_ = -1;
    process_.reset();
    socket_.reset();
    return status_;
}

void Client::signal(int number) const {
    if (pid_ > 0) kill(pid_, number);
}

void Client::end() {
    signal(SIGKILL);
    reap();
}

void Client::stop() {
    if (pid_ >= 0) {
        if (state_ == State::ready && !settings_.confinement) {
            shutdown(socket_.get(), SHUT_WR);
            if (!wait_readable(process_.get(), stop_grace)) signal(SIGKILL);
            drain_output();
        } else {
            signal(SIGKILL);
        }
        reap();
    }
    state_ = State::stopped;
}

void Client::drain_output() {
    drain(output_, observer_.output);
    drain(errors_, observer_.errors);
}

void Client::drain(UniqueFd& from, const std::function<void(std::string_view)>& into) {
    if (!from) return;
    std::array<char, 16384> bytes;
    ssize_t size = 0;
    while (!exceeded_ && (size = read(from.get(), bytes.data(), bytes.size())) > 0) {
        cell_output_ += static_cast<std::uint64_t>(size);
        if (settings_.confinement && cell_output_ > settings_.confinement->output_bytes) {
            exceed("output-limit", fmt::format("more than {} bytes of output", settings_.confinement->output_bytes));
            break;
        }
        into({bytes.data(), static_cast<std::size_t>(size)});
    }
    // Nobody writes there any more: it would be readable for ever.
    if (size == 0 && !exceeded_) from.reset();
}

/// A confined worker is ended; its outcome says why.
void Client::exceed(std::string_view code, std::string message) {
    if (!exceeded_) exceeded_ = error(std::string(code), std::move(message));
    signal(SIGKILL);
}

/// Counts what a confined worker uses, and ends it beyond its limits.
void Client::watch() {
    const auto now = Clock::now();
    if (pid_ < 0 || !settings_.confinement || exceeded_ || now - usage_.looked() < watch_interval) return;
    usage_.look(now);
    const ProcessState used = state_of(pid_);
    if (used.resident > settings_.confinement->memory_bytes)
        exceed("memory-limit", fmt::format("more than {} MB of memory", settings_.confinement->memory_bytes >> 20));
    if (used.threads > most_threads + std::thread::hardware_concurrency())
        exceed("thread-limit", fmt::format("more than {} threads", most_threads));
}

/// Takes in what the socket holds, without waiting; false at its end. At most a few reports at once: the first that is
/// wrong decides, and not how much a worker that floods the socket has written meanwhile.
bool Client::take_reports(int most_pieces) {
    std::array<char, 16384> bytes;
    for (int piece = 0; piece < most_pieces; ++piece) {
        const ssize_t size = recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (size > 0) {
            cell_reports_ += static_cast<std::uint64_t>(size);
            if (settings_.confinement && cell_reports_ > most_reports) {
                exceed("report-limit", "the worker reported more than a cell can have to say");
                return false;
            }
            frames_.append({bytes.data(), static_cast<std::size_t>(size)});
        } else if (size < 0 && errno == EINTR) {
            continue;
        } else {
            return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        }
    }
    return true;
}

/// `deadline`: of the front end's clock. A confined worker is charged with what it used instead.
bool Client::is_over(const std::optional<Clock::time_point>& deadline) {
    if (pid_ < 0) return false;
    const auto now = Clock::now();
    if (!settings_.confinement) return deadline && now >= *deadline;
    usage_.count();
    // The budget first: a look may come so late that both are used up, and the reason is the same in every run.
    if (usage_.spent() >= budget_)
        exceed("time-limit", "the submission has used all of its time");
    else if (settings_.timeout > 0ms &&
             (usage_.processor() >= settings_.timeout || usage_.asleep() >= patience * settings_.timeout))
        return true;
    else if (deadline && now >= *deadline)
        exceed("wall-clock", "the machine was too busy to run the submission in time");
    return false;
}

Client::Wake Client::wait(const std::optional<Clock::time_point>& deadline, int interrupt_fd) {
    while (true) {
        // A worker that reports without end does not go on for that.
        if (is_over(deadline)) return {Wake::Kind::expired, {}};
        if (const auto body = frames_.next()) {
            drain_output();
            auto report = exceeded_ ? std::nullopt : decode_report(*body, settings_.confinement.has_value());
            if (report) return {Wake::Kind::report, std::move(report)};
            end();
        }
        if (frames_.is_broken()) end();
        if (pid_ < 0) {
            drain_output();
            return {Wake::Kind::ended, {}};
        }

        int limit = -1;
        if (deadline) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
            limit = static_cast<int>(std::clamp<std::chrono::milliseconds>(left, 0ms, 1h).count());
        }
        if (settings_.confinement) {
            watch();
            const int interval = static_cast<int>(watch_interval.count());
            limit = limit < 0 ? interval : std::min(limit, interval);
        }
        if (observer_.tick || input_) {
            if (observer_.tick) observer_.tick();
            if (input_) input_->flush();
            const int interval = static_cast<int>(tick_interval.count());
            limit = limit < 0 ? interval : std::min(limit, interval);
        }
        const short wanted = unsent_.empty() ? POLLIN : POLLIN | POLLOUT;
        std::array<pollfd, 5> entries{{{socket_.get(), wanted, 0},
                                       {process_.get(), POLLIN, 0},
                                       {output_.get(), POLLIN, 0},
                                       {interrupt_fd, POLLIN, 0},
                                       {errors_.get(), POLLIN, 0}}};
        const int ready = poll(entries.data(), entries.size(), limit);
        if (ready == 0 && input_ && input_->is_waited_for(pid_)) return {Wake::Kind::input, {}};
        if (ready <= 0) continue;

        if (entries[2].revents || entries[4].revents) drain_output();
        if (entries[3].revents) {
            signalfd_siginfo info;
            if (read(interrupt_fd, &info, sizeof info) == sizeof info)
                return {Wake::Kind::interrupt, {}, info.ssi_code == SI_KERNEL};
        }
        if (entries[0].revents & POLLOUT) flush();
        const bool process_ended = entries[1].revents != 0;
        const bool socket_open = !(entries[0].revents & ~POLLOUT) || take_reports();
        if (process_ended || !socket_open) {
            if (process_ended) take_reports(std::numeric_limits<int>::max());
            // A worker without its socket is of no use; the usual reason is that it is just ending.
            if (!wait_readable(process_.get(), 500ms)) signal(SIGKILL);
            reap();
        }
    }
}

void Client::acknowledge() {
    // A worker waits for this. One that reports and never reads does not fill the front end's memory.
    if (settings_.confinement && unsent_.size() > most_unsent)
        exceed("report-limit", "the worker reported more than a cell can have to say");
    else
        post(encode(Seen{}));
}

void Client::poll_ready() {
    if (state_ != State::starting) return;
    if (!take_reports() && pid_ >= 0) reap();
    while (state_ == State::starting) {
        const auto body = frames_.next();
        const auto report = body ? decode_report(*body, settings_.confinement.has_value()) : std::nullopt;
        if (report && std::holds_alternative<Ready>(*report)) {
            device_ = std::get<Ready>(*report).device;
            layers_ = std::get<Ready>(*report).layers;
            state_ = State::ready;
        } else if (report && std::holds_alternative<Failed>(*report)) {
            failure_ = std::get<Failed>(*report).diagnostic;
            state_ = State::failed;
            reap();
        } else if (report && std::holds_alternative<Finding>(*report)) {
            observer_.diagnostic(std::get<Finding>(*report).diagnostic);
            acknowledge();
        } else if (!body) {
            if (pid_ >= 0) return;
            failure_ = error("worker-start", describe_end("while it was starting"));
            state_ = State::failed;
        }
    }
}

Result<std::string> Client::wait_ready() {
    start();
    const InterruptWatch interrupts;
    const auto deadline = Clock::now() + most_start;
    while (state_ == State::starting) {
        const short wanted = unsent_.empty() ? POLLIN : POLLIN | POLLOUT;
        std::array<pollfd, 4> entries{{{socket_.get(), wanted, 0},
                                       {interrupts.fd(), POLLIN, 0},
                                       {output_.get(), POLLIN, 0},
                                       {errors_.get(), POLLIN, 0}}};
        constexpr int look_again = 1000;
        if (poll(entries.data(), entries.size(), settings_.confinement ? look_again : -1) <= 0) {
            if (!settings_.confinement || Clock::now() < deadline) continue;
            end();
            failure_ = error("worker-start", "the worker was not ready after 10 minutes",
                             "is the machine very busy? run fewer submissions at a time with --jobs");
            state_ = State::failed;
            break;
        }
        if (entries[0].revents & POLLOUT) flush();
        drain_output();
        if (entries[1].revents) {
            end();
            failure_ = error("interrupted", "interrupted while the worker was starting");
            state_ = State::failed;
            break;
        }
        poll_ready();
    }
    if (state_ == State::failed) {
        drain_output();
        return failure_;
    }
    return device_;
}

}  // namespace cudash::worker
