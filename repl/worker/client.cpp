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
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <thread>
#include <utility>

#include "repl/exit_codes.h"
#include "repl/session/guard.h"
#include "repl/worker/interrupt_watch.h"

namespace cudash::worker {
namespace {

using namespace std::chrono_literals;
using session::Outcome;

constexpr auto interrupt_told = 1s;   ///< what does not stop so long after a Ctrl-C needs a second one
constexpr auto interrupt_grace = 2s;  ///< from the SIGINT at a timeout to the SIGKILL
constexpr auto stop_grace = 2s;
constexpr auto tick_interval = 20ms;   ///< of looks whether a cell waits for input
constexpr auto watch_interval = 10ms;  ///< of a confined worker's memory and processor time
constexpr int patience = 4;  ///< a confined worker's cell may take so many times its processor time, waiting included
constexpr std::uint64_t most_reports = 16u << 20;  ///< bytes that a confined worker may send for one cell
/// Of a confined worker's messages: an outcome with all that a compiler says, and an array (base64) that was asked for.
constexpr std::size_t most_in_frame = 4u << 20, most_in_array = 12u << 20;
constexpr std::size_t most_unsent = 1u << 20;  ///< that a confined worker may leave unread while it reports
constexpr std::uint64_t most_threads = 256;    ///< of a confined worker, beside one for each processor
constexpr auto most_start = 600s;              ///< until a confined worker is ready; no stranger's code runs before

bool wait_readable(int fd, std::chrono::milliseconds limit) {
    pollfd entry{fd, POLLIN, 0};
    int ready = 0;
    do {
        ready = poll(&entry, 1, static_cast<int>(limit.count()));
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

/// The number behind `field` in a file of /proc; 0: it is not there.
std::uint64_t number_in(std::string_view text, std::string_view field) {
    const std::size_t at = text.find(field);
    return at == std::string_view::npos ? 0 : std::strtoull(text.data() + at + field.size(), nullptr, 10);
}

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether one of the threads runs, or would if the machine had a processor for it.
bool can_run(pid_t process) {
    std::error_code ended;
    for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), ended)) {
        // "proc_pid_stat(5)": the state stands behind the name, which may hold anything.
        const std::string stat = text_of(task.path() / "stat");
        const std::size_t name_end = stat.rfind(')');
        if (name_end != std::string::npos && stat.substr(name_end).starts_with(") R")) return true;
    }
    return false;
}

std::string signal_name(int signal) {
    const char* name = sigabbrev_np(signal);
    return name ? fmt::format("signal {} (SIG{})", signal, name) : fmt::format("signal {}", signal);
}

Diagnostic no_input(const std::string& name) {
    return error("no-input", fmt::format("{} reads standard input, and nobody can be asked for it here", name),
                 "run it where a person answers, or read from a file or a std::istringstream");
}

/// A request has one kind of answer.
bool is_answer(const Request& request, const Report& report) {
    if (std::holds_alternative<Query>(request)) return std::holds_alternative<session::Answer>(report);
    if (std::holds_alternative<Complete>(request)) return std::holds_alternative<session::Completions>(report);
    return std::holds_alternative<Outcome>(report);
}

}  // namespace

struct Client::Wake {
    enum class Kind { report, ended, interrupt, expired, input };
    Kind kind = Kind::ended;
    std::optional<Report> report;
    bool from_terminal = false;  ///< of an interrupt: the worker got it too
};

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
    if (pid_ < 0 || !settings_.confinement || exceeded_ || now - usage_.looked < watch_interval) return;
    const auto processor = processor_time();
    // The front end of a busy machine comes late: what it did not see, nobody is charged with.
    const std::chrono::nanoseconds elapsed =
        std::min<std::chrono::nanoseconds>(now - usage_.looked, 2 * watch_interval);
    if (elapsed > processor - usage_.counted && !can_run(pid_)) usage_.asleep += elapsed - (processor - usage_.counted);
    usage_.counted = processor;
    usage_.processor = processor - usage_.begun;
    usage_.looked = now;

    const std::string status = text_of(fmt::format("/proc/{}/status", pid_));
    const std::uint64_t resident =
        (number_in(status, "\nVmRSS:") + number_in(status, "\nVmSwap:") + number_in(status, "\nVmPTE:")) << 10;
    if (resident > settings_.confinement->memory_bytes)
        exceed("memory-limit", fmt::format("more than {} MB of memory", settings_.confinement->memory_bytes >> 20));
    if (number_in(status, "\nThreads:") > most_threads + std::thread::hardware_concurrency())
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

/// What the worker's threads have run so far, together.
std::chrono::nanoseconds Client::processor_time() const {
    clockid_t clock{};
    timespec used{};
    if (pid_ < 0 || clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0ns;
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

/// `deadline`: of the front end's clock. A confined worker is charged with what it used instead.
bool Client::is_over(const std::optional<Clock::time_point>& deadline) {
    if (pid_ < 0) return false;
    const auto now = Clock::now();
    if (!settings_.confinement) return deadline && now >= *deadline;
    usage_.processor = std::max(usage_.processor, processor_time() - usage_.begun);
    // The budget first: a look may come so late that both are used up, and the reason is the same in every run.
    if (usage_.processor + usage_.asleep >= budget_)
        exceed("time-limit", "the submission has used all of its time");
    else if (settings_.timeout > 0ms &&
             (usage_.processor >= settings_.timeout || usage_.asleep >= patience * settings_.timeout))
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

std::string Client::describe_end(std::string_view when) const {
    const std::string_view who = settings_.native ? "the program" : "the worker";
    if (WIFSIGNALED(status_)) return fmt::format("{} was ended by {} {}", who, signal_name(WTERMSIG(status_)), when);
    if (WEXITSTATUS(status_) == 127) return fmt::format("{} could not be started", who);
    return fmt::format("{} exited with code {} {}", who, WEXITSTATUS(status_), when);
}

Outcome Client::lost(const std::string& name) {
    Outcome outcome;
    outcome.status = Outcome::Status::lost;
    outcome.sound = false;
    outcome.exit_code = WIFSIGNALED(status_) ? exit_codes::signal_base + WTERMSIG(status_) : WEXITSTATUS(status_);
    if (exceeded_)
        outcome.diagnostics.push_back(*exceeded_);
    else if (WIFEXITED(status_) && WEXITSTATUS(status_) == session::exit_heap_corrupted)
        outcome.diagnostics.push_back(error(
            "heap-corruption",
            fmt::format("{} uses the host's heap, which it or an earlier cell has destroyed: the process ended", name),
            "look for what is written past the end of memory of malloc, new or a std::vector, by a loop or by a "
            "copy (cudaMemcpy2D writes height rows a dpitch apart), and for what is freed twice"));
    else if (WIFEXITED(status_) && WEXITSTATUS(status_) == session::exit_internal_error)
        outcome.diagnostics.push_back(session::internal_error(name));
    // Nobody reads what the program prints: programs in a pipe end so, without a word.
    else if (!(WIFSIGNALED(status_) && WTERMSIG(status_) == SIGPIPE && !settings_.confinement))
        outcome.diagnostics.push_back(error("worker-lost", describe_end(fmt::format("while running {}", name))));
    state_ = State::stopped;
    return outcome;
}

/// A program may end without its handlers: _exit on another thread, a signal.
Outcome Client::ended_program(const std::string& name) {
    Outcome outcome;
    state_ = State::stopped;
    if (WIFEXITED(status_)) {
        outcome.status = Outcome::Status::exited;
        outcome.exit_code = WEXITSTATUS(status_);
        return outcome;
    }
    outcome.status = Outcome::Status::faulted;
    outcome.exit_code = exit_codes::signal_base + WTERMSIG(status_);
    if (WTERMSIG(status_) == SIGPIPE) return outcome;
    outcome.diagnostics.push_back(
        error("program-ended", fmt::format("{} was ended by {}", name, signal_name(WTERMSIG(status_)))));
    return outcome;
}

Outcome Client::evaluate(const session::Cell& cell) {
    const Report report = converse(Evaluate{cell}, cell.name);
    if (const auto* outcome = std::get_if<Outcome>(&report)) return *outcome;
    return lost(cell.name);
}

/// With the bytes that lie in the memory that the two share.
session::Answer Client::take_answer(session::Answer answer) const {
    auto* memory = std::get_if<session::MemoryBytes>(&answer);
    if (!memory || memory->in_window == 0) return answer;
    const auto bytes = window_.bytes();
    if (memory->in_window > bytes.size())
        return error("worker-lost", "the memory that the worker shares can't be read");
    memory->bytes.assign(reinterpret_cast<const char*>(bytes.data()), memory->in_window);
    return answer;
}

session::Answer Client::query(const session::Query& query, std::string_view name) {
    Report report = converse(query, std::string(name));
    if (measured_.interrupted && std::holds_alternative<session::Answer>(report))
        return error("interrupted", fmt::format("{} was interrupted", name));
    if (auto* answer = std::get_if<session::Answer>(&report)) return take_answer(std::move(*answer));
    // Without an answer the worker is gone, and the outcome says how.
    auto* outcome = std::get_if<Outcome>(&report);
    if (outcome && !outcome->diagnostics.empty()) return std::move(outcome->diagnostics.back());
    return error("worker-lost", fmt::format("{} was not answered", name));
}

/// While a cell runs: its worker waits until what it displays was seen.
session::Answer Client::read_displayed(const session::ReadBytes& request, const std::optional<Clock::time_point>& limit,
                                       int interrupt_fd) {
    const Diagnostic unread = error("interrupted", "the array was not read to its end");
    if (late_answers_ > 0) return unread;
    post(encode(session::Query(request)));
    while (true) {
        Wake wake = wait(limit, interrupt_fd);
        auto* answer = wake.report ? std::get_if<session::Answer>(&*wake.report) : nullptr;
        if (answer) return take_answer(std::move(*answer));
        if (wake.kind == Wake::Kind::report) end();  // it does not speak the protocol
        if (wake.kind == Wake::Kind::interrupt) {
            measured_.interrupted = true;
            if (!wake.from_terminal) signal(SIGINT);
        }
        if (wake.kind == Wake::Kind::interrupt || wake.kind == Wake::Kind::expired) ++late_answers_;
        return unread;
    }
}

void Client::show_displayed(const Displayed& displayed, const std::optional<Clock::time_point>& limit,
                            int interrupt_fd) {
    if (observer_.displayed)
        observer_.displayed(
            displayed, [&](const session::ReadBytes& request) { return read_displayed(request, limit, interrupt_fd); });
    acknowledge();
}

session::Completions Client::complete(const session::Complete& request) {
    Report report = converse(request, "a completion");
    // Who waits for keys is to know of a Ctrl-C that came meanwhile.
    if (measured_.interrupted) raise(SIGINT);
    auto* completions = std::get_if<session::Completions>(&report);
    return completions ? std::move(*completions) : session::Completions{};
}

Report Client::converse(const Request& request, const std::string& name) {
    measured_ = {};
    if (const auto ready = wait_ready(); !ready) {
        Outcome outcome;
        outcome.status = Outcome::Status::lost;
        outcome.exit_code = exit_codes::unavailable;
        outcome.diagnostics.push_back(ready.error());
        return outcome;
    }
    const InterruptWatch interrupts;
    const auto begin = Clock::now();
    cell_output_ = cell_reports_ = 0;
    const bool confined = settings_.confinement.has_value();
    std::optional<Clock::time_point> deadline;
    if (const auto limit = confined ? settings_.wall_clock : settings_.timeout; limit > 0ms) deadline = begin + limit;
    if (confined) {
        const auto* evaluate = std::get_if<Evaluate>(&request);
        frames_.set_limit(evaluate && evaluate->cell.kind == session::Cell::Kind::load ? most_in_array : most_in_frame);
        usage_ = {};
        usage_.begun = usage_.counted = processor_time();
        usage_.looked = begin;
    }
    std::optional<Clock::time_point> last_interrupt, tell_at;
    bool killed_by_user = false;
    const std::string too_long =
        fmt::format("{} ran longer than {:g} s", name, std::chrono::duration<double>(settings_.timeout).count());
    const auto ended = [&](auto report) {
        measured_.exceeded = exceeded_;
        measured_.spent = usage_.processor + usage_.asleep;
        return Report(std::move(report));
    };

    post(encode(request));
    if (input_) input_->reopen();
    bool lacks_input = false;
    while (true) {
        const auto limit = tell_at && (!deadline || *tell_at < *deadline) ? tell_at : deadline;
        Wake wake = wait(limit, interrupts.fd());
        if (wake.kind == Wake::Kind::expired && tell_at && Clock::now() >= *tell_at) {
            tell_at.reset();
            if (observer_.told)
                observer_.told({fmt::format("  stopping; a second {} ends the worker, and your variables with it",
                                            settings_.stopped_by)});
            continue;
        }
        switch (wake.kind) {
            case Wake::Kind::report:
                if (const auto* finding = std::get_if<Finding>(&*wake.report)) {
                    observer_.diagnostic(finding->diagnostic);
                    acknowledge();
                } else if (const auto* told = std::get_if<Told>(&*wake.report)) {
                    if (observer_.told) observer_.told(*told);
                    acknowledge();
                } else if (const auto* progress = std::get_if<Progress>(&*wake.report)) {
                    if (observer_.progress) observer_.progress(*progress);
                    if (progress->what.empty()) acknowledge();
                } else if (const auto* displayed = std::get_if<Displayed>(&*wake.report)) {
                    show_displayed(*displayed, limit, interrupts.fd());
                } else if (late_answers_ > 0 && std::holds_alternative<session::Answer>(*wake.report)) {
                    --late_answers_;
                } else if (is_answer(request, *wake.report)) {
                    auto* outcome = std::get_if<Outcome>(&*wake.report);
                    if (outcome && measured_.timed_out && outcome->status != Outcome::Status::ok) {
                        outcome->exit_code = exit_codes::timeout;
                        outcome->diagnostics.push_back(error("timeout", too_long));
                    }
                    if (outcome && lacks_input && outcome->status == Outcome::Status::interrupted)
                        outcome->diagnostics.push_back(no_input(name));
                    return ended(std::move(*wake.report));
                } else {
                    end();  // it does not speak the protocol
                }
                break;
            case Wake::Kind::interrupt: {
                measured_.interrupted = true;
                const auto now = Clock::now();
                if (confined || last_interrupt) {
                    killed_by_user = true;
                    signal(SIGKILL);
                } else if (!wake.from_terminal) {
                    signal(SIGINT);
                }
                last_interrupt = now;
                if (!killed_by_user) tell_at = now + interrupt_told;
                break;
            }
            case Wake::Kind::input: {
                const auto asked = Clock::now();
                const Input input = observer_.input();
                if (deadline) *deadline += Clock::now() - asked;  // the user's time
                // Without an answer, too, what reads returns: a cell can't be left in the middle of the C library.
                input_->give(input);
                if (input.kind == Input::Kind::none && !std::exchange(lacks_input, true)) signal(SIGINT);
                break;
            }
            case Wake::Kind::expired:
                if (measured_.timed_out || confined) {
                    deadline.reset();
                    end();
                } else {
                    signal(SIGINT);
                    deadline = Clock::now() + interrupt_grace;
                }
                measured_.timed_out = true;
                break;
            case Wake::Kind::ended: {
                Outcome outcome = settings_.native ? ended_program(name) : lost(name);
                outcome.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
                if (measured_.timed_out) {
                    outcome.exit_code = exit_codes::timeout;
                    outcome.diagnostics = {error(
                        "timeout", settings_.native ? too_long : too_long + " and did not stop; the worker was ended")};
                } else if (settings_.native && measured_.interrupted) {
                    outcome.status = Outcome::Status::interrupted;
                    outcome.diagnostics.clear();
                } else if (killed_by_user) {
                    outcome.exit_code = exit_codes::signal_base + SIGINT;
                    outcome.diagnostics = {error(
                        "interrupted", fmt::format("the worker was ended {} {} while running {}",
                                                   confined ? "by" : "at the second", settings_.stopped_by, name))};
                }
                return ended(std::move(outcome));
            }
        }
    }
}

}  // namespace cudash::worker
