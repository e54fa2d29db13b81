#include "repl/shell/input/terminal_keys.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cwchar>
#include <utility>

namespace cudash::shell {
namespace {

constexpr int character_wait = 50;  ///< ms for the rest of a character
constexpr int paste_wait = 2000;    ///< ms after which a paste without an end is over

volatile std::sig_atomic_t interrupted = 0, resized = 0, suspended = 0;

struct sigaction install(int signal, void (*handler)(int)) {
    struct sigaction action = {}, before = {};
    action.sa_handler = handler;  // without SA_RESTART: the wait for a key must end
    sigaction(signal, &action, &before);
    return before;
}

bool is_pending(int signal) {
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

void take(int signal) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    const timespec none{};
    sigtimedwait(&set, nullptr, &none);
}

}  // namespace

TerminalKeys::Listening::Listening()
    : suspend_(install(SIGTSTP, [](int) { suspended = 1; })), resize_(install(SIGWINCH, [](int) { resized = 1; })) {
    install(SIGINT, [](int) { interrupted = 1; });
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
    interrupted = 0;
}

TerminalKeys::Listening::~Listening() {
    // SIGINT stays blocked, and a pending one pending: the worker's client takes it.
    sigaction(SIGTSTP, &suspend_, nullptr);
    sigaction(SIGWINCH, &resize_, nullptr);
}

TerminalKeys::Filled TerminalKeys::fill(int timeout) {
    std::array<pollfd, 2> entries{{{STDIN_FILENO, POLLIN, 0}, {watched_, POLLIN, 0}}};
    const timespec limit{timeout / 1000, timeout % 1000 * 1000000L};
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    sigdelset(&mask, SIGINT);
    const int ready = ppoll(entries.data(), entries.size(), timeout < 0 ? nullptr : &limit, &mask);
    if (ready < 0) return Filled::signal;
    if (ready == 0) return Filled::nothing;
    if (entries[1].revents) {
        watched_ = -1;
        return Filled::watched;
    }
    std::array<char, 65536> chunk;
    const ssize_t size = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    // poll(2) tells of bytes before it tells of signals. The terminal has dropped what was typed before a Ctrl-C.
    if (is_pending(SIGINT)) {
        bytes_.clear();
        take(SIGINT);
        interrupted = 1;
        behind_interrupt_ = true;
    }
    if (size > 0) bytes_.append(chunk.data(), static_cast<std::size_t>(size));
    if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN)) return Filled::end;
    return Filled::bytes;
}

TerminalKeys::Event TerminalKeys::next(wchar_t& key) {
    while (true) {
        if (std::exchange(interrupted, 0)) {
            if (!std::exchange(behind_interrupt_, false)) bytes_.clear();
            return Event::interrupt;
        }
        if (std::exchange(suspended, 0)) return Event::suspend;
        if (std::exchange(resized, 0)) return Event::resize;
        if (bytes_.empty()) {
            const Filled filled = fill(-1);
            if (filled == Filled::end) return Event::end;
            if (filled == Filled::watched) return Event::watched;
            continue;
        }
        std::mbstate_t conversion{};
        std::size_t length = std::mbrtowc(&key, bytes_.data(), bytes_.size(), &conversion);
        if (length == static_cast<std::size_t>(-2) && fill(character_wait) == Filled::bytes) continue;
        if (length > bytes_.size()) {  // not a character in this encoding
            bytes_.erase(0, 1);
            continue;
        }
        bytes_.erase(0, length == 0 ? 1 : length);
        return Event::character;
    }
}

std::string TerminalKeys::paste() {
    std::size_t end = 0;
    while ((end = bytes_.find(paste_end)) == std::string::npos) {
        const Filled filled = fill(paste_wait);
        if (filled == Filled::nothing || filled == Filled::end || interrupted) break;
    }
    std::string raw = bytes_.substr(0, end);
    bytes_.erase(0, end == std::string::npos ? bytes_.size() : end + paste_end.size());
    std::string text;
    text.reserve(raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '\r') text += raw[i];
        // Terminals send what Enter sends.
        if (raw[i] == '\r' && (i + 1 == raw.size() || raw[i + 1] != '\n')) text += '\n';
    }
    return text;
}

void TerminalKeys::suspend() {
    const struct sigaction ours = install(SIGTSTP, SIG_DFL);
    std::raise(SIGTSTP);
    sigaction(SIGTSTP, &ours, nullptr);
}

bool TerminalKeys::take_end_typed_ahead() {
    pollfd entry{STDIN_FILENO, POLLIN, 0};
    int size = 0;
    // Something can be read, and it has no bytes.
    if (!bytes_.empty() || poll(&entry, 1, 0) != 1 || ioctl(STDIN_FILENO, FIONREAD, &size) != 0 || size != 0)
        return false;
    char none;
    return ::read(STDIN_FILENO, &none, 1) == 0;
}

bool TerminalKeys::has_more() {
    if (bytes_.empty()) {
        const int watched = std::exchange(watched_, -1);
        fill(0);
        watched_ = watched;
    }
    return !bytes_.empty();
}

std::optional<std::string_view> TerminalKeys::next_line() {
    if (!has_more()) return std::nullopt;
    const std::size_t end = bytes_.find_first_of("\r\n");
    if (end == std::string::npos) return std::nullopt;
    const std::string_view line = std::string_view(bytes_).substr(0, end);
    for (const char c : line)
        if ((static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7f) return std::nullopt;
    return line;
}

}  // namespace cudash::shell
