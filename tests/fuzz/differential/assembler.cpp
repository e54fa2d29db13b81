#include "tests/fuzz/differential/assembler.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <array>
#include <cstdio>

#include "tests/fuzz/differential/modules.h"

namespace cudash::fuzz {
namespace {

/// This program with arguments; its standard output is read from the descriptor.
Result<pid_t> start(const std::vector<std::string>& arguments, int& output) {
    std::array<int, 2> ends;
    // Closed in programs that other threads start meanwhile, which would keep it from ending.
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return error("fuzz", "no pipe can be made");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::vector<char*> words;
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
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

Result<std::string> assemble_apart(std::uint64_t first_seed, std::uint64_t count) {
    int output = -1;
    const auto child =
        start({"kernel_fuzz", "--assemble", std::to_string(first_seed), "--count", std::to_string(count)}, output);
    if (!child) return child.error();
    std::string text = read_all(output);
    int status = 0;
    waitpid(*child, &status, 0);
    if (WIFSIGNALED(status))
        return error("fuzz", fmt::format("the assembler crashed with signal {}", WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0) return error("fuzz", text);
    return text;
}

int assemble(std::uint64_t first_seed, std::uint64_t count) {
    std::vector<Kernel> kernels;
    for (std::uint64_t i = 0; i < count; ++i) kernels.push_back(generate(first_seed + i));
    const auto made = compile(kernels, Optimisation::full, Target::cubin);
    const std::string& text = made ? (*made)->code : made.error().message;
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && made ? 0 : 1;
}

}  // namespace cudash::fuzz
