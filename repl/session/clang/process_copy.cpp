#include "repl/session/clang/process_copy.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <utility>

namespace cudash::session {
namespace {

constexpr std::array faults = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};

struct Pipe {
    std::array<int, 2> ends{-1, -1};

    bool open() { return pipe2(ends.data(), O_CLOEXEC) == 0; }
    void close(std::size_t end) {
        if (ends[end] >= 0) ::close(std::exchange(ends[end], -1));
    }
    Pipe() = default;
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close(0);
        close(1);
    }
};

/// Holds back the signal of a child's end: a handler of the student's must not hear of the copy.
class NoChildSignal {
public:
    NoChildSignal() {
        sigemptyset(&child_);
        sigaddset(&child_, SIGCHLD);
        sigset_t waiting;
        sigpending(&waiting);
        was_waiting_ = sigismember(&waiting, SIGCHLD) == 1;
        pthread_sigmask(SIG_BLOCK, &child_, &before_);
    }
    NoChildSignal(const NoChildSignal&) = delete;
    NoChildSignal& operator=(const NoChildSignal&) = delete;
    ~NoChildSignal() {
        const timespec at_once{};
        if (!was_waiting_) sigtimedwait(&child_, nullptr, &at_once);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    void restore() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t child_{}, before_{};
    bool was_waiting_ = false;
};

void become_copy(const CopyLimits& limits) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const int signal : faults) std::signal(signal, SIG_DFL);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (limits.processor_seconds == 0) return;
    std::signal(SIGXCPU, SIG_DFL);
    const rlimit time{limits.processor_seconds, limits.processor_seconds};
    setrlimit(RLIMIT_CPU, &time);
}

/// What comes out of `file` until its other end is closed. False: that took too long.
bool read_until_closed(int file, std::chrono::steady_clock::time_point deadline, std::string& text) {
    while (true) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
        pollfd entry{file, POLLIN, 0};
        const int ready = left > 0 ? poll(&entry, 1, static_cast<int>(left)) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        std::array<char, 16384> bytes;
        const ssize_t size = read(file, bytes.data(), bytes.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return true;
        text.append(bytes.data(), static_cast<std::size_t>(size));
    }
}

}  // namespace

CopyEnd in_copy(const std::function<void(int file)>& work, const CopyLimits& limits) {
    CopyEnd end;
    Pipe pipe;
    if (!pipe.open()) return end;
    const NoChildSignal quiet;
    const pid_t copy = fork();
    if (copy == 0) {
        become_copy(limits);
        quiet.restore();
        work(pipe.ends[1]);
        _exit(0);
    }
    if (copy < 0) return end;
    pipe.close(1);
    if (!read_until_closed(pipe.ends[0], std::chrono::steady_clock::now() + limits.wait, end.told)) kill(copy, SIGKILL);
    int status = 0;
    pid_t ended = 0;
    do ended = waitpid(copy, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (ended != copy) return end;  // where SIGCHLD is ignored nobody learns how it ended
    end.done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (WIFSIGNALED(status) && std::ranges::count(faults, WTERMSIG(status)) > 0) end.fault = WTERMSIG(status);
    return end;
}

void write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t size = write(file, text.data(), text.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(size));
    }
}

}  // namespace cudash::session
