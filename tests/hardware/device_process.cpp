#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "tests/hardware/oracle_device.h"

namespace cudash::oracle {
namespace {

/// What the process that has the device says: sizes, then as many bytes.
class Pipe {
public:
    Pipe() {
        if (pipe(ends_.data()) != 0) ends_ = {-1, -1};
    }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    void close_end(std::size_t end) {
        if (ends_[end] >= 0) close(ends_[end]);
        ends_[end] = -1;
    }

    void write_all(const void* data, std::size_t bytes) const {
        for (const char* at = static_cast<const char*>(data); bytes != 0;) {
            const ssize_t written = write(ends_[1], at, bytes);
            if (written <= 0) _exit(3);
            at += written;
            bytes -= static_cast<std::size_t>(written);
        }
    }
    void write_text(const std::string& text) const {
        const std::uint64_t size = text.size();
        write_all(&size, sizeof size);
        write_all(text.data(), text.size());
    }
    /// False: the writer ended, or said nothing for half a minute.
    bool read_all(void* data, std::size_t bytes) const {
        for (char* at = static_cast<char*>(data); bytes != 0;) {
            pollfd waiting{ends_[0], POLLIN, 0};
            if (poll(&waiting, 1, 30000) <= 0) return false;
            const ssize_t got = read(ends_[0], at, bytes);
            if (got <= 0) return false;
            at += got;
            bytes -= static_cast<std::size_t>(got);
        }
        return true;
    }
    bool read_text(std::string& text) const {
        std::uint64_t size = 0;
        if (!read_all(&size, sizeof size)) return false;
        text.resize(size);
        return read_all(text.data(), text.size());
    }

private:
    std::array<int, 2> ends_{-1, -1};
};

[[noreturn]] void work(const DeviceMaker& make, const Pipe& pipe, std::span<const std::size_t> cases) {
    auto device = make();
    pipe.write_text(device ? std::string() : device.error().message);
    if (!device) _exit(1);
    pipe.write_text((*device)->describe());
    run_cases(**device, cases, true, [&](std::size_t index, const CaseOutcome& outcome) {
        const std::uint64_t head[] = {index, static_cast<std::uint64_t>(outcome.state), outcome.results.size()};
        pipe.write_all(head, sizeof head);
        pipe.write_text(outcome.reason);
        pipe.write_all(outcome.results.data(), outcome.results.size() * 8);
    });
    _exit(0);
}

/// Runs cases in a new process and takes those away that are done. Returns why the device cannot be used, or nothing.
std::string run_in_process(const DeviceMaker& make, std::vector<std::size_t>& left, std::string& about,
                           const OutcomeHandler& handle) {
    Pipe pipe;
    const pid_t child = fork();
    if (child < 0) return "no process can be started";
    if (child == 0) {
        pipe.close_end(0);
        work(make, pipe, left);
    }
    pipe.close_end(1);
    std::string trouble, reason;
    const bool started = pipe.read_text(trouble) && (!trouble.empty() || pipe.read_text(about));
    std::uint64_t head[3];
    bool failed = false;
    while (started && trouble.empty() && pipe.read_all(head, sizeof head)) {
        CaseOutcome outcome{static_cast<CaseOutcome::State>(head[1]), {}, std::vector<std::uint64_t>(head[2])};
        if (!pipe.read_text(outcome.reason) || !pipe.read_all(outcome.results.data(), head[2] * 8)) break;
        failed = outcome.state == CaseOutcome::State::failed;
        std::erase(left, head[0]);
        handle(head[0], std::move(outcome));
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (!started) return "the process that opens the device ended";
    if (trouble.empty() && !failed && !left.empty()) {
        handle(left.front(), {CaseOutcome::State::failed, "it does not end", {}});
        left.erase(left.begin());
    }
    return trouble;
}

}  // namespace

Result<std::string> run_cases_apart(const DeviceMaker& make, std::span<const std::size_t> cases,
                                    const OutcomeHandler& handle) {
    std::vector<std::size_t> left(cases.begin(), cases.end());
    std::string about;
    while (!left.empty()) {
        std::string trouble = run_in_process(make, left, about, handle);
        if (!trouble.empty()) return error("no-gpu", trouble);
    }
    return about;
}

}  // namespace cudash::oracle
