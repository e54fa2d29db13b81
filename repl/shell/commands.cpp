#include "repl/shell/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <vector>

#include "repl/shell/check_session.h"
#include "repl/shell/suggest.h"
#include "runtime_wrappers/virtual_gpu/check/checkers.h"

namespace cudash::shell {
namespace {

using Handler = std::optional<int> (*)(Notebook&, std::string_view argument);

struct Command {
    std::string_view name, argument, help;
    Handler handler;  ///< nullptr: the session answers it (session/inspect.h)
};

std::optional<int> help(Notebook&, std::string_view);

void say_device(Notebook& notebook) {
    const auto device = notebook.client().wait_ready();
    if (device) {
        notebook.display().results(*device + "\n");
    } else {
        notebook.display().show(device.error(), {});
    }
}

std::optional<int> quit(Notebook& notebook, std::string_view argument) {
    int code = 0;
    const auto [end, failure] = std::from_chars(argument.data(), argument.data() + argument.size(), code);
    if (!argument.empty() &&
        (failure != std::errc() || end != argument.data() + argument.size() || code < 0 || code > 255)) {
        notebook.display().show(error("bad-argument", fmt::format("'{}' is not an exit code from 0 to 255", argument)),
                                {});
        return std::nullopt;
    }
    return code;
}

std::optional<int> replay(Notebook& notebook, std::string_view) {
    const std::size_t count = notebook.accepted();
    notebook.display().messages(
        fmt::format("running {} accepted {} again in a new worker\n", count, count == 1 ? "cell" : "cells"));
    if (!notebook.replay()) notebook.display().messages("the replay stopped here\n");
    return std::nullopt;
}

std::optional<int> reset(Notebook& notebook, std::string_view) {
    notebook.reset();
    return std::nullopt;
}

std::optional<int> history(Notebook& notebook, std::string_view) {
    for (const session::Cell& cell : notebook.cells()) {
        std::string text = cell.text;
        while (text.ends_with('\n')) text.pop_back();
        notebook.display().results(fmt::format("// {}\n{}\n", cell.name, text));
    }
    return std::nullopt;
}

std::optional<int> device(Notebook& notebook, std::string_view argument) {
    if (!argument.empty()) {
        const std::string before = notebook.client().settings().options.device;
        if (!notebook.set_device(std::string(argument)) || !notebook.client().wait_ready()) {
            say_device(notebook);
            if (notebook.client().state() == worker::Client::State::failed) notebook.set_device(before);
            return std::nullopt;
        }
    }
    say_device(notebook);
    return std::nullopt;
}

/// The worker at work changes at once, and later ones begin so.
std::optional<int> check(Notebook& notebook, std::string_view argument) {
    if (argument == "session") {
        check_session(notebook);
        return std::nullopt;
    }
    if (!argument.empty()) {
        const auto selection = virtual_gpu::parse_selection(argument);
        if (!selection) {
            notebook.display().show(selection.error(), {});
            return std::nullopt;
        }
        notebook.client().set_check(std::string(argument));
    }
    notebook.inspect(argument.empty() ? "check" : fmt::format("check {}", argument));
    return std::nullopt;
}

/// As check.
std::optional<int> profile(Notebook& notebook, std::string_view argument) {
    if (argument == "on" || argument == "off") notebook.client().set_profile(argument == "on");
    notebook.inspect(argument.empty() ? "profile" : fmt::format("profile {}", argument));
    return std::nullopt;
}

std::optional<int> time(Notebook& notebook, std::string_view code) {
    const auto outcome = notebook.evaluate(std::string(code) + "\n");
    notebook.display().messages(fmt::format("{:.6f} s\n", outcome.seconds));
    return std::nullopt;
}

constexpr std::array commands = {
    Command{"help", "", "this list", help},
    Command{"quit", "[CODE]", "leaves, with exit code CODE (Ctrl-D leaves too)", quit},
    Command{"replay", "", "starts a new worker and runs the accepted cells again", replay},
    Command{"reset", "", "starts a new worker and forgets all cells", reset},
    Command{"history", "", "shows the cells so far", history},
    Command{"device", "[DEVICE]", "shows the device, or changes to another and replays", device},
    Command{
        "check", "[CHECKERS]",
        "what the virtual GPU looks for, or changes it: none, default, all, NAME,...; session: runs all cells again on "
        "the virtual GPU with all checkers",
        check},
    Command{"profile", "[WHAT]",
            "counts what kernels do: on, off, clear; shows it: lines, last, metrics, last --on NAME,...", profile},
    Command{"props", "", "the device's properties", nullptr},
    Command{"limits", "", "the device's limits (cudaDeviceGetLimit)", nullptr},
    Command{"vars", "", "the session's variables and their values", nullptr},
    Command{"kernels", "", "its kernels and what they need", nullptr},
    Command{"mem", "", "its allocations (virtual GPU)", nullptr},
    Command{"leaks", "", "what is allocated and not freed, by the place that allocated it (virtual GPU)", nullptr},
    Command{"type", "EXPRESSION", "the type of an expression, which is not evaluated", nullptr},
    Command{"ptx", "[KERNEL]", "the PTX that NVRTC made of the session, or of one kernel", nullptr},
    Command{"time", "CODE", "evaluates CODE as a cell and says how long that took", time},
};

std::optional<int> help(Notebook& notebook, std::string_view) {
    std::string text;
    for (const Command& command : commands)
        text += fmt::format("  {:<20}{}\n", fmt::format(":{} {}", command.name, command.argument), command.help);
    notebook.display().results(
        "C++ and CUDA code runs as it is typed; an expression without ';' shows its value.\n"
        "Two blank lines run a cell that is not complete; Ctrl-C drops it, or stops a running one.\n" +
        text);
    return std::nullopt;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
    return text;
}

}  // namespace

bool is_command(std::string_view line) {
    line = trim(line);
    return line.size() > 1 && line[0] == ':' && std::isalpha(static_cast<unsigned char>(line[1]));
}

std::optional<int> run_command(Notebook& notebook, std::string_view line) {
    line = trim(line).substr(1);
    const std::string_view name = line.substr(0, line.find_first_of(" \t"));
    const std::string_view argument = trim(line.substr(name.size()));
    const auto* command =
        std::find_if(commands.begin(), commands.end(), [&](const Command& row) { return row.name == name; });
    if (command == commands.end()) {
        std::vector<std::string_view> names;
        for (const Command& row : commands) names.push_back(row.name);
        const auto meant = suggest(name, names);
        notebook.display().show(error("unknown-command", fmt::format("there is no command :{}", name),
                                      meant ? fmt::format("did you mean :{}?", *meant) : ":help lists the commands"),
                                {});
        return std::nullopt;
    }
    if (!argument.empty() && command->argument.empty()) {
        notebook.display().show(error("bad-argument", fmt::format(":{} takes no argument", name)), {});
        return std::nullopt;
    }
    if (argument.empty() && !command->argument.empty() && command->argument.front() != '[') {
        notebook.display().show(error("bad-argument", fmt::format(":{} needs {}", name, command->argument),
                                      fmt::format(":{} {}", name, command->argument)),
                                {});
        return std::nullopt;
    }
    if (command->handler) return command->handler(notebook, argument);
    notebook.inspect(line);
    return std::nullopt;
}

}  // namespace cudash::shell
