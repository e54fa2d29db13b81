#include "repl/grade/cluster/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "repl/exit_codes.h"
#include "repl/worker/unique_fd.h"

namespace cudash::grade {
namespace {

struct Pipe {
    worker::UniqueFd read, write;

    Pipe() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) return;
        read = worker::UniqueFd(ends[0]);
        write = worker::UniqueFd(ends[1]);
    }
};

/// Reads what there is. False: that was the end.
bool take(int file, std::string& text) {
    char bytes[4096];
    const ssize_t size = read(file, bytes, sizeof bytes);
    if (size > 0) text.append(bytes, static_cast<std::size_t>(size));
    return size > 0 || (size < 0 && errno == EINTR);
}

}  // namespace

Result<Ended> run_program(const std::vector<std::string>& command, std::chrono::seconds limit) {
    std::array<Pipe, 2> pipes;
    std::vector<char*> arguments;
    for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, pipes[0].write.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, pipes[1].write.get(), STDERR_FILENO);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, arguments.front(), &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0)
        return error("no-program", fmt::format("{} can't be started: {}", command.front(), std::strerror(failed)));
    Ended ended;
    std::array<std::string*, 2> texts = {&ended.out, &ended.errors};
    std::array<pollfd, 2> waits{};
    for (std::size_t i = 0; i < pipes.size(); ++i) {
        pipes[i].write.reset();
        waits[i] = {pipes[i].read.get(), POLLIN, 0};
    }
    const auto end = std::chrono::steady_clock::now() + limit;
    bool late = false;
    while (!late && (waits[0].fd >= 0 || waits[1].fd >= 0)) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        late = left.count() <= 0;
        if (late || poll(waits.data(), waits.size(), static_cast<int>(left.count())) <= 0) continue;
        for (std::size_t i = 0; i < waits.size(); ++i)
            if (waits[i].revents != 0 && !take(waits[i].fd, *texts[i])) waits[i].fd = -1;
    }
    if (late) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (late) return error("no-answer", fmt::format("{} did not answer within {} s", command.front(), limit.count()));
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : exit_codes::signal_base + WTERMSIG(status);
    return ended;
}

}  // namespace cudash::grade
