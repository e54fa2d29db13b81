#include "repl/worker/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "repl/exec/environment.h"
#include "repl/worker/file_tree.h"
#include "repl/worker/readable.h"
#include "repl/worker/unique_fd.h"

namespace cudash::worker {
namespace {

/// Variables that say where things are. Others may hold secrets, or change how a submission runs.
constexpr std::array passed_on = {"PATH", "CUDA_PATH", "CUDA_HOME", "CUDASH_CLANG_RESOURCE_DIR", "LD_LIBRARY_PATH"};

/// What the child needs, made before it is: after it, in a program with threads, only system calls are safe.
struct Child {
    const char* program;
    Descriptors given;
    int input;
    pid_t parent;
    bool namespaces = false;
    const FileTree* tree = nullptr;       ///< to begin in; nullptr: the one that all have
    const char* program_there = nullptr;  ///< in that tree
    char* const* environment = nullptr;   ///< nullptr: as it is (of a confined worker, and of a program, another)
    std::string user_map, group_map;
    char* const* arguments = nullptr;  ///< of a program that nvcc built; nullptr: the worker is cudash
    char* descriptors = nullptr;       ///< in its environment: the end of the variable that tells it of its own
};

/// Numbers as text, written from behind, without a library's help.
class Numbers {
public:
    void put(int number) {
        do *--at_ = static_cast<char>('0' + number % 10);
        while (number /= 10);
    }
    void put(char character) { *--at_ = character; }
    const char* text() const { return at_; }

private:
    char text_[32] = {};
    char* at_ = text_ + sizeof text_ - 1;
};

void write_map(const char* path, const std::string& text) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    [[maybe_unused]] const auto written = write(file, text.data(), text.size());
    close(file);
}

[[noreturn]] void become_worker(const Child& child) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!child.namespaces && getppid() != child.parent) _exit(127);
    if (child.namespaces) {
        // "user_namespaces(7): Defining user and group ID mappings": the user itself, and no other.
        write_map("/proc/self/setgroups", "deny");
        write_map("/proc/self/uid_map", child.user_map);
        write_map("/proc/self/gid_map", child.group_map);
    }
    const bool has_tree = child.namespaces && child.tree && child.tree->enter();
    // Until the worker has a handler of its own, a Ctrl-C at the prompt must not end it.
    std::signal(SIGINT, child.arguments ? SIG_DFL : SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (child.input >= 0) dup2(child.input, STDIN_FILENO);
    if (child.given.output >= 0) {
        dup2(child.given.output, STDOUT_FILENO);
        dup2(child.given.errors >= 0 ? child.given.errors : child.given.output, STDERR_FILENO);
    }
    if (child.environment && !child.arguments) {
        setsid();
        // Addresses in messages are the same on every run.
        personality(ADDR_NO_RANDOMIZE);
        if (dup2(child.given.socket, 3) != 3) _exit(127);
        if (child.given.socket == 3) fcntl(3, F_SETFD, 0);
        syscall(SYS_close_range, 4u, ~0u, 0u);
        execle(has_tree ? child.program_there : child.program, "cudash", "--worker", "3", nullptr, child.environment);
        _exit(127);
    }
    // Copies are without close-on-exec.
    Numbers numbers;
    if (child.given.window >= 0) numbers.put(dup(child.given.window)), numbers.put(',');
    numbers.put(dup(child.given.socket));
    if (child.arguments) {
        std::strcpy(child.descriptors, numbers.text());
        execve(child.program, child.arguments, child.environment);
        _exit(127);
    }
    execl(has_tree ? child.program_there : child.program, "cudash", "--worker", numbers.text(), nullptr);
    _exit(127);
}

/// Where this user's precompiled headers are: a confined worker has another HOME, and may not make its own.
std::string header_cache() {
    if (const char* given = std::getenv("CUDASH_HEADER_CACHE"); given && *given) return given;
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) return std::string(cache) + "/cudash";
    if (const char* home = std::getenv("HOME"); home && *home) return std::string(home) + "/.cache/cudash";
    return "/tmp/cudash";
}

bool write_input(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t size = write(file, text.data(), text.size());
        if (size <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(size));
    }
    return lseek(file, 0, SEEK_SET) == 0;
}

bool has(const Confinement& confinement, std::string_view layer) {
    return std::ranges::find(confinement.without, layer) == confinement.without.end();
}

/// fork(), as the first process of its own namespaces.
pid_t fork_apart() {
    constexpr unsigned long apart =
        CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
    return static_cast<pid_t>(syscall(SYS_clone, apart | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

/// Starts `child` by `make`, so that a Ctrl-C meanwhile finds it ready.
template <class Make>
pid_t start(const Child& child, Make make) {
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, &before);
    const pid_t process = make();
    if (process == 0) become_worker(child);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return process;
}

std::string variable(const char* name, std::string_view value) {
    return fmt::format("{}={}", name, value);
}

}  // namespace

pid_t spawn_worker(const std::string& program, const Descriptors& descriptors, bool no_input,
                   const std::optional<Confinement>& confinement) {
    Child child{program.c_str(), descriptors, -1, getpid(), false, nullptr, nullptr, nullptr, {}, {}};
    std::optional<FileTree> tree;
    std::string program_there;
    std::vector<std::string> variables;
    std::vector<char*> environment;
    UniqueFd input;
    if (no_input) input = UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
    child.input = input ? input.get() : descriptors.input;
    if (confinement) {
        for (const char* name : passed_on)
            if (const char* value = std::getenv(name)) variables.push_back(fmt::format("{}={}", name, value));
        for (const char* name : {"HOME", "TMPDIR", "XDG_CACHE_HOME"})
            variables.push_back(fmt::format("{}={}", name, confinement->folder));
        variables.emplace_back("LC_ALL=C.UTF-8");
        variables.emplace_back("SOURCE_DATE_EPOCH=0");  // what clang takes for __DATE__ and __TIME__
        variables.push_back("CUDASH_HEADER_CACHE=" + header_cache());
        for (std::string& variable : variables) environment.push_back(variable.data());
        environment.push_back(nullptr);
        if (has(*confinement, "clean start")) child.environment = environment.data();
        input = UniqueFd(memfd_create("input", MFD_CLOEXEC));
        if (!input || !write_input(input.get(), confinement->input)) return -1;
        child.input = input.get();
        child.user_map = fmt::format("{0} {0} 1", geteuid());
        child.group_map = fmt::format("{0} {0} 1", getegid());
        child.namespaces = has(*confinement, "namespaces");
        // The program by its name: in another tree, "self" has none.
        std::error_code failed;
        program_there = std::filesystem::canonical(program, failed).string();
        if (!failed && has(*confinement, "file tree")) {
            tree.emplace(readable_paths(program_there, header_cache()), confinement->folder);
            child.tree = &*tree;
            child.program_there = program_there.c_str();
        }
    }
    return start(child, [&] {
        const pid_t process = child.namespaces ? fork_apart() : fork();
        if (process >= 0 || !child.namespaces) return process;
        child.namespaces = false;
        return fork();
    });
}

pid_t spawn_program(const NativeProgram& program, const Descriptors& descriptors, bool no_input) {
    constexpr std::string_view preload = "LD_PRELOAD=";
    constexpr std::size_t room = 32;  // for two descriptors
    std::vector<std::string> variables;
    std::string libraries = program.preload;
    for (char** each = environ; *each; ++each) {
        const std::string_view text = *each;
        if (!text.starts_with(preload)) {
            variables.emplace_back(text);
            continue;
        }
        libraries += ':' + std::string(text.substr(preload.size()));
    }
    variables.push_back(std::string(preload) + libraries);
    variables.push_back(variable(exec::descriptors_variable, std::string(room, '\0')));
    std::vector<char*> environment, arguments;
    for (std::string& each : variables) environment.push_back(each.data());
    environment.push_back(nullptr);
    std::vector<std::string> words = program.arguments;
    for (std::string& each : words) arguments.push_back(each.data());
    arguments.push_back(nullptr);

    Child child{program.path.c_str(), descriptors, -1, getpid(), false, nullptr, nullptr, environment.data(), {}, {}};
    child.arguments = arguments.data();
    child.descriptors = variables.back().data() + variables.back().find('=') + 1;
    UniqueFd input;
    if (no_input) input = UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
    child.input = input.get();
    return start(child, [] { return fork(); });
}

}  // namespace cudash::worker
