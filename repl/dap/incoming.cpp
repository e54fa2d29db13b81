#include "repl/dap/incoming.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "repl/dap/messages.h"

namespace cudash::dap {

using nlohmann::json;

namespace {

/// Requests that stop a program that runs: the debugger can only be told of them then.
constexpr std::array<std::string_view, 4> urgent = {"pause", "setBreakpoints", "setFunctionBreakpoints",
                                                    "setDataBreakpoints"};
constexpr std::array<std::string_view, 2> ending = {"disconnect", "terminate"};
constexpr std::size_t most_values = 1'000'000, most_depth = 64;

/// nullopt: it is not JSON, or has more of it than any request.
std::optional<json> parse(const std::string& text) {
    if (!is_modest_json(text, most_values, most_depth)) return std::nullopt;
    json value = parse_json(text);
    return value.is_discarded() ? std::nullopt : std::optional(std::move(value));
}

template <std::size_t N>
bool is_one_of(const Received& received, const std::array<std::string_view, N>& commands) {
    const auto* request = std::get_if<json>(&received);
    return request && std::ranges::find(commands, (*request)["command"].get<std::string>()) != commands.end();
}

}  // namespace

Incoming::Incoming(int descriptor) : descriptor_(descriptor) {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) == 0)
        wake_read_ = worker::UniqueFd(ends[0]), wake_write_ = worker::UniqueFd(ends[1]);
    // SIGINT is for the thread that waits for the worker.
    sigset_t interrupts, before;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupts, &before);
    thread_ = std::thread([this] { read_all(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Incoming::~Incoming() {
    leaves_ = true;
    wake_write_.reset();
    thread_.join();
}

void Incoming::read_all() {
    MessageReader messages;
    std::array<char, 65536> bytes;
    while (!leaves_) {
        std::array<pollfd, 2> entries{{{descriptor_, POLLIN, 0}, {wake_read_.get(), POLLIN, 0}}};
        if (poll(entries.data(), entries.size(), -1) < 0 && errno != EINTR) break;
        if (entries[1].revents != 0) break;
        if (entries[0].revents == 0) continue;
        const ssize_t size = read(descriptor_, bytes.data(), bytes.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) break;
        messages.append({bytes.data(), static_cast<std::size_t>(size)});
        while (const auto text = messages.next()) take(*text);
        if (messages.problem().empty()) continue;
        push(messages.problem());
        break;
    }
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    end_running();
}

void Incoming::take(const std::string& text) {
    auto message = parse(text);
    if (!message) return push(fmt::format("a message of {} bytes is not JSON", text.size()));
    const bool is_request = message->is_object() && message->value("type", json()) == "request" &&
                            message->contains("command") && (*message)["command"].is_string() &&
                            message->contains("seq") && (*message)["seq"].is_number_integer();
    if (!is_request) return push(std::string("a message is not a request with `seq` and `command`"));
    const std::string command = (*message)["command"];
    const bool ends = std::ranges::find(ending, command) != ending.end();
    if (command == "pause" && running_) pause_ = true;
    push(std::move(*message));
    if (ends)
        end_running();
    else if (std::ranges::find(urgent, command) != urgent.end())
        interrupt();
}

void Incoming::push(Received received) {
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(received));
    }
    changed_.notify_all();
}

/// Once: a second one would end the worker.
void Incoming::interrupt() {
    if (running_ && !interrupted_.exchange(true)) kill(getpid(), SIGINT);
}

void Incoming::end_running() {
    using namespace std::chrono_literals;
    while (running_ && !leaves_) {
        kill(getpid(), SIGINT);
        std::this_thread::sleep_for(100ms);
    }
}

std::optional<Received> Incoming::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return over_ || !queue_.empty(); });
    if (queue_.empty()) return std::nullopt;
    Received first = std::move(queue_.front());
    queue_.pop_front();
    return first;
}

bool Incoming::has_next() {
    const std::lock_guard lock(mutex_);
    return over_ || !queue_.empty();
}

bool Incoming::is_ending() {
    const std::lock_guard lock(mutex_);
    return over_ || std::ranges::any_of(queue_, [](const Received& each) { return is_one_of(each, ending); });
}

void Incoming::set_running(bool running) {
    interrupted_ = false;
    if (running) pause_ = false;
    running_ = running;
    if (!running) return;
    // What came while the last answer was written is not to wait for the next stop.
    const std::lock_guard lock(mutex_);
    for (const Received& each : queue_) {
        if (is_one_of(each, std::array<std::string_view, 1>{"pause"})) pause_ = true;
        if (is_one_of(each, urgent)) interrupt();
    }
}

}  // namespace cudash::dap
