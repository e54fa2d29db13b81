// Devices, explanations, tracing, and the system's shell.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "repl/exit_codes.h"
#include "repl/explain.h"
#include "repl/shell/commands.h"
#include "repl/shell/commands/command.h"
#include "repl/shell/line_completion.h"
#include "repl/size_text.h"
#include "repl/view/wrap.h"
#include "repl/worker/interrupt_watch.h"
#include "runtime_wrappers/explanations.h"
#include "runtime_wrappers/virtual_gpu/devices/profile.h"

namespace cudash::shell {

std::optional<int> devices(Notebook& notebook, std::string_view) {
    const auto current = notebook.client().wait_ready();
    session::Table table{{"device", "name", "compute capability", "multiprocessors", "memory"}, {}};
    for (const virtual_gpu::Profile& profile : virtual_gpu::profiles())
        table.rows.push_back({fmt::format("virtual:{}", profile.name), std::string(profile.full_name),
                              fmt::format("{}.{}", profile.cc_major, profile.cc_minor),
                              fmt::format("{}", profile.multiprocessors), size_text(profile.global_memory)});
    const view::Display& display = notebook.display();
    display.show(table);
    if (!current) return std::nullopt;
    const std::string said =
        fmt::format("this session: {}; real ones are gpu, gpu:1, ... (`cudash doctor` finds them)", *current);
    for (const std::string& line : view::wrap(said, display.width, 0, "", view::LongWords::kept))
        display.results(line + "\n");
    return std::nullopt;
}

std::optional<int> lesson(Notebook& notebook, std::string_view argument) {
    if (const auto& in_cells = notebook.lessons().in_cells) {
        if (const auto code = in_cells(notebook, argument)) {
            notebook.set_code(*code);
            return std::nullopt;
        }
    }
    if (!notebook.lessons().walk)
        return notebook.fail(
            error("no-lesson", "a lesson can't be begun here",
                  "at the prompt of the shell :lesson does it, elsewhere cudash lesson NAME; in a lesson, "
                  ":quit leaves it first"));
    notebook.set_code(notebook.lessons().walk(argument) == 0 ? 0 : 1);
    return std::nullopt;
}

std::optional<int> about(Notebook& notebook, std::string_view name) {
    const view::Display& display = notebook.display();
    const auto is_command_name = [&](const Command& row) {
        return name.starts_with(':') ? row.name == name.substr(1) : row.name == name;
    };
    const auto ask = [&](const char* what) {
        return notebook.client().evaluate(
            {session::Cell::Kind::inspect, ":about", fmt::format("{} {}", what, name), {}});
    };
    if (!name.starts_with(':')) {
        const session::Outcome source = ask("source");
        if (source.status == session::Outcome::Status::ok && source.diagnostics.empty()) {
            const session::Outcome type = ask("type");
            notebook.page(source.text + (type.diagnostics.empty() ? fmt::format("type: {}", type.text) : ""));
            return std::nullopt;
        }
        const auto completions = complete(notebook, fmt::format("{}(", name));
        if (!completions.calls.empty()) {
            display.results(list_completions({.word = 0, .candidates = {}, .more = false, .calls = completions.calls},
                                             display.style_of_results, display.screen().width, 1000));
            return std::nullopt;
        }
        const session::Outcome type = ask("type");
        if (type.status == session::Outcome::Status::ok && type.diagnostics.empty()) {
            display.results(fmt::format("type: {}", type.text));
            return std::nullopt;
        }
    }
    if (std::ranges::any_of(commands(), is_command_name))
        return run_command(notebook, fmt::format(":help {}", name.starts_with(':') ? name.substr(1) : name));
    if (find_explanation(name)) return explain_code(notebook, name);
    return notebook.fail(error("not-found", fmt::format("nothing is called '{}'", name),
                               "Tab after its first letters lists the names that there are"));
}

std::optional<int> complete_text(Notebook& notebook, std::string_view argument) {
    const view::Display& display = notebook.display();
    const auto completions = complete(notebook, argument);
    display.results(list_completions(completions, display.style_of_results, display.screen().width, 1000));
    if (completions.candidates.empty() && completions.calls.empty())
        return notebook.fail(error("no-completion", fmt::format("nothing is known that goes on with '{}'", argument)));
    return std::nullopt;
}

std::optional<int> explain_code(Notebook& notebook, std::string_view argument) {
    std::string text;
    view::Display display = notebook.display();
    display.results = [&](std::string_view more) { text += more; };
    const int code = explain(std::string(argument), display);
    notebook.page(text);
    if (code != 0) notebook.set_code(1);
    return std::nullopt;
}

/// Later workers begin so too.
std::optional<int> trace(Notebook& notebook, std::string_view argument) {
    if (argument == "on" || argument == "off") notebook.client().set_trace(argument == "on");
    notebook.inspect(argument.empty() ? "trace" : fmt::format("trace {}", argument));
    return std::nullopt;
}

std::optional<int> launches(Notebook& notebook, std::string_view argument) {
    if (argument == "on" || argument == "off") notebook.client().set_launches(argument == "on");
    notebook.inspect(argument.empty() ? "launches" : fmt::format("launches {}", argument));
    return std::nullopt;
}

namespace {

/// The system's shell with `command`, its output in `output`; -1: it can't be started. Without a terminal it is the
/// first of a process group, so that an interrupt reaches all that it starts.
pid_t start_shell(std::string command, bool apart, worker::UniqueFd& output) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    output = worker::UniqueFd(ends[0]);
    const worker::UniqueFd writer(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (const int target : {STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_adddup2(&actions, writer.get(), target);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    // A shell that starts cudash in the background has it ignore interrupts, and so would the command.
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &interrupt);
    posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                             (apart ? POSIX_SPAWN_SETPGROUP : 0)));
    std::string shell = "sh", option = "-c";
    std::array<char*, 4> arguments = {shell.data(), option.data(), command.data(), nullptr};
    pid_t process = -1;
    if (posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments.data(), environ) != 0) process = -1;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return process;
}

}  // namespace

std::optional<int> run_system(Notebook& notebook, std::string_view argument) {
    const worker::InterruptWatch interrupts;
    const bool apart = isatty(STDIN_FILENO) != 1;
    worker::UniqueFd output;
    const pid_t process = start_shell(std::string(argument), apart, output);
    if (process < 0) return notebook.fail(error("shell", "the system's shell can't be started"));
    // Its output goes where results go: to a transcript too.
    std::array<char, 4096> bytes;
    bool interrupted = false;
    while (true) {
        std::array<pollfd, 2> entries{{{output.get(), POLLIN, 0}, {interrupts.fd(), POLLIN, 0}}};
        if (poll(entries.data(), entries.size(), -1) < 0) continue;
        if (entries[1].revents) {
            interrupted = true;
            if (!interrupts.take_from_terminal()) kill(apart ? -process : process, SIGINT);
        }
        if (!entries[0].revents) continue;
        const ssize_t size = read(output.get(), bytes.data(), bytes.size());
        if (size <= 0) break;
        notebook.display().results({bytes.data(), static_cast<std::size_t>(size)});
    }
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
    notebook.display().messages(WIFEXITED(status) ? fmt::format("exit code {}\n", WEXITSTATUS(status))
                                                  : fmt::format("ended by signal {}\n", WTERMSIG(status)));
    notebook.set_code(interrupted ? exit_codes::interrupted : 1);
    return std::nullopt;
}

}  // namespace cudash::shell
