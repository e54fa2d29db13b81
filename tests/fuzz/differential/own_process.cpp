#include "tests/fuzz/differential/own_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace cudash::fuzz {
namespace {

/// This program with arguments; its standard output is read from the descriptor.
Result<pid_t> start(std::vector<std::string>& arguments, int& output) {
    std::array<int, 2> ends;
    // Closed in programs that other threads start meanwhile, which would keep it from ending.
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return error("fuzz", "no pipe can be made");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    pid_t child = 0;
    const int failed = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output = ends[0];
    if (failed == 0) return child;
    close(output);
    return error("fuzz", "no process can be started");
}

std::string read_all(int descriptor) {
    std::string text;
    std::array<char, 65536> piece;
    for (ssize_t got; (got = read(descriptor, piece.data(), piece.size())) > 0;)
        text.append(piece.data(), static_cast<std::size_t>(got));
    close(descriptor);
    return text;
}

}  // namespace

Result<Ended> run_self(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "kernel_fuzz");
    int output = -1;
    const auto child = start(arguments, output);
    if (!child) return child.error();
    Ended ended{.output = read_all(output)};
    int status = 0;
    waitpid(*child, &status, 0);
    (WIFSIGNALED(status) ? ended.signal : ended.exit_code) =
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return ended;
}

}  // namespace cudash::fuzz
