#include "runtime_wrappers/nvrtc/nvcc_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "runtime_wrappers/nvrtc/toolkit.h"

namespace cudash::nvrtc {

namespace fs = std::filesystem;

namespace {

// A signal's handler sees nothing else.
volatile sig_atomic_t are_signals_held = 0, signal_held = 0;
volatile pid_t group_of_program = 0;

void end_program(int signal) {
    signal_held = signal;
    // nvcc removes its files at SIGINT, and not at SIGTERM.
    if (group_of_program > 0) kill(-group_of_program, SIGINT);
}

}  // namespace

HeldSignals::HeldSignals() : before_{} {
    struct sigaction action = {};
    action.sa_handler = &end_program;
    signal_held = 0;
    are_signals_held = 1;
    for (std::size_t i = 0; i < held_.size(); ++i) {
        sigaction(held_[i], &action, &before_[i]);
        // What is ignored stays so.
        if (before_[i].sa_handler == SIG_IGN) sigaction(held_[i], &before_[i], nullptr);
    }
}

HeldSignals::~HeldSignals() {
    for (std::size_t i = 0; i < held_.size(); ++i) sigaction(held_[i], &before_[i], nullptr);
    are_signals_held = 0;
    if (any()) raise(signal_held);
}

bool HeldSignals::any() const {
    return signal_held != 0;
}

Scratch::Scratch() {
    std::error_code failed;
    std::string pattern = (fs::temp_directory_path(failed) / "cudash-nvcc-XXXXXX").string();
    if (mkdtemp(pattern.data())) folder_ = pattern;
}

Scratch::~Scratch() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

fs::path find_nvcc() {
    for (const fs::path& root : toolkit_roots())
        if (const fs::path program = root / "bin" / "nvcc"; access(program.c_str(), X_OK) == 0) return program;
    return {};
}

std::string content_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void ProgramEnd::ask() {
    wanted_ = true;
    if (const pid_t program = program_) kill(program, SIGINT);
}

void ProgramEnd::began(pid_t program) {
    program_ = program;
    if (wanted_) kill(program, SIGINT);
}

int run_process(const std::vector<std::string>& command, const fs::path& output, ProgramEnd* end) {
    std::vector<char*> arguments;
    for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    posix_spawnattr_setsigmask(&attributes, &before);
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &interrupt);
    short flags = POSIX_SPAWN_SETSIGMASK;
    if (are_signals_held) flags |= POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF;
    posix_spawnattr_setflags(&attributes, flags);
    pid_t child = 0;
    const int failed = posix_spawn(&child, command.front().c_str(), &files, &attributes, arguments.data(), environ);
    if (failed == 0 && are_signals_held) group_of_program = child;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0) return -1;
    if (end) end->began(child);
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
    }
    group_of_program = 0;
    if (end) end->ended();
    if (ended < 0) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace cudash::nvrtc
