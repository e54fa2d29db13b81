#include "repl/shell/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <vector>

#include "repl/session/profile_names.h"
#include "repl/shell/check_session.h"
#include "repl/shell/commands/command.h"
#include "repl/shell/editor.h"
#include "repl/shell/suggest.h"
#include "repl/view/rich/forms.h"
#include "repl/view/wrap.h"
#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/virtual_gpu/check/checkers.h"

namespace cudash::shell {
namespace {

std::optional<int> help(Notebook&, std::string_view);

void say_device(Notebook& notebook) {
    const auto device = notebook.client().wait_ready();
    if (device) {
        notebook.display().results(*device + "\n");
    } else {
        notebook.fail(device.error());
    }
}

std::optional<int> quit(Notebook& notebook, std::string_view argument) {
    int code = 0;
    const auto [end, failure] = std::from_chars(argument.data(), argument.data() + argument.size(), code);
    if (!argument.empty() &&
        (failure != std::errc() || end != argument.data() + argument.size() || code < 0 || code > 255)) {
        return notebook.fail(
            error("bad-argument", fmt::format("'{}' is not an exit code from 0 to 255", argument), ":quit 3, say"));
    }
    return code;
}

std::optional<int> replay(Notebook& notebook, std::string_view) {
    const std::size_t count = notebook.accepted();
    notebook.display().messages(
        fmt::format("running {} {} again in a new worker\n", count, count == 1 ? "cell" : "cells"));
    if (!notebook.replay()) notebook.display().messages("the replay stopped here\n");
    return std::nullopt;
}

std::optional<int> reset(Notebook& notebook, std::string_view) {
    notebook.reset();
    return std::nullopt;
}

std::optional<int> device(Notebook& notebook, std::string_view argument) {
    if (!argument.empty()) {
        if (const auto known = api::parse_device(argument); !known) return notebook.fail(known.error());
        const std::size_t count = notebook.accepted();
        if (count > 0)
            notebook.display().messages(
                fmt::format("running {} {} again on the new device\n", count, count == 1 ? "cell" : "cells"));
        if (const auto changed = notebook.set_device(std::string(argument)); !changed)
            return notebook.fail(changed.error());
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
            Diagnostic refused = selection.error();
            std::vector<std::string_view> names = {"none", "default", "all", "session"};
            for (const virtual_gpu::CheckerRow& row : virtual_gpu::checkers()) names.push_back(row.name);
            // The name stands in quotes.
            const std::string_view name = std::string_view(refused.message).substr(refused.message.find('\'') + 1);
            if (const auto meant = suggest(name.substr(0, name.find('\'')), names); meant && !name.starts_with(*meant))
                refused.message += fmt::format("; did you mean '{}'?", *meant);
            return notebook.fail(refused);
        }
        notebook.client().set_check(std::string(argument));
    }
    notebook.inspect(argument.empty() ? "check" : fmt::format("check {}", argument));
    return std::nullopt;
}

/// As check.
std::optional<int> profile(Notebook& notebook, std::string_view argument) {
    if (argument == "on" || argument == "off") notebook.client().set_profile(argument == "on");
    std::vector<std::string_view> names;
    for (std::string_view list : {session::profile_actions, session::profile_tables, session::profile_pictures})
        while (!list.empty()) {
            const std::size_t comma = std::min(list.find(','), list.size());
            const std::string_view form = trim(list.substr(0, comma));
            list.remove_prefix(std::min(list.size(), comma + 1));
            names.push_back(form.substr(0, form.find(' ')));
        }
    const std::string_view word = argument.substr(0, argument.find(' '));
    if (!word.empty() && std::ranges::find(names, word) == names.end())
        if (const auto meant = suggest(word, names))
            return notebook.fail(error("bad-argument", fmt::format(":profile can't show '{}'", word),
                                       fmt::format("did you mean :profile {}?", *meant)));
    notebook.inspect(argument.empty() ? "profile" : fmt::format("profile {}", argument));
    return std::nullopt;
}

std::optional<int> time(Notebook& notebook, std::string_view code) {
    if (is_command(code)) {
        const auto begin = std::chrono::steady_clock::now();
        const auto quit_code = run_command(notebook, code);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        notebook.display().messages(fmt::format("{:.6f} s\n", taken.count()));
        return quit_code;
    }
    const auto outcome = notebook.evaluate(std::string(code) + "\n");
    notebook.display().messages(fmt::format("{:.6f} s\n", outcome.seconds));
    return std::nullopt;
}

// clang-format off
constexpr std::array table = {
    Command{"help", "[COMMAND]", "lists the commands, or shows the form and examples of one", help, Completes::command, {}, ":help show"},
    Command{"quit", "[CODE]", "leaves with exit code CODE (Ctrl-D leaves too)", quit, Completes::nothing, {}, ":quit 3"},

    Command{"show", "EXPR [as TYPE] [SHAPE] [SLICE] [FORM]",
            "shows the elements behind a pointer, array or variable; FORM is numbers, all, heat, image, histogram, spark or hex", show, Completes::code, "as all heat hex histogram image numbers spark",
            ":show d\n:show d 64x64 heat\n:show p as float4 100 [10:20]\n:show image 512x512 image\n"
            ":show d [2:4, :]"},
    Command{"diff", "A B [TOLERANCE]", "shows where two arrays differ", diff, Completes::code, {}, ":diff h d\n:diff h d 1e-5\n:diff a + 1, b"},
    Command{"save", "EXPR [as TYPE] [SHAPE] FILE", "writes memory to a .npy, .csv or .png file", save, Completes::code_then_file, "as",
            ":save d 64x64 result.npy\n:save d 512x512 picture.png"},
    Command{"load", "EXPR [as TYPE] [SHAPE] FILE", "reads memory from a .npy, .csv or .png file", load, Completes::code_then_file, "as",
            ":load d input.npy"},
    Command{"mem", "", "lists the session's allocations, with a map on the virtual GPU", nullptr},
    Command{"leaks", "", "lists memory that is allocated and not freed, with the place that allocated it", nullptr},
    Command{"vars", "", "lists the session's variables and their values", nullptr},
    Command{"type", "EXPRESSION", "shows the type of an expression without evaluating it", nullptr, Completes::code, {}, ":type a[0] * 2"},
    Command{"about", "NAME", "shows the declaration, type, value and documentation of a name; `NAME?` does the same", about, Completes::code, {},
            ":about cudaMemcpy\ncudaMemcpy?"},
    Command{"source", "NAME", "shows the text that defined a function, kernel, variable or type", nullptr, Completes::code, {}, ":source k"},

    Command{"kernels", "", "lists the session's kernels and the resources that they need", nullptr},
    Command{"occupancy", "KERNEL BLOCK [SHARED]",
            "shows how many blocks a multiprocessor can hold, and what limits that", nullptr, Completes::kernel, {},
            ":occupancy k 256\n:occupancy k 16x16 4K"},
    Command{"ptx", "[KERNEL]", "shows the PTX of the session, or of one kernel", nullptr, Completes::kernel, {}, ":ptx k"},
    Command{"sass", "[KERNEL]", "shows the machine code of the session, or of one kernel (needs the toolkit's nvdisasm)", nullptr, Completes::kernel, {},
            ":sass k"},
    Command{"profile", "[WHAT]", session::profile_help, profile, Completes::profile, {},
            ":profile on\n:profile last\n:profile source"},
    Command{
        "check", "[CHECKERS]",
        "shows what the virtual GPU looks for, or changes it: none, default, all, NAME,...; session: runs all cells "
        "again on the virtual GPU with all checkers",
        check, Completes::checkers, "session", ":check all\n:check session"},
    Command{"debug", "CODE|last", "runs CODE as a cell and stops in its first launch: step, reverse-step, break, lanes, print, who wrote, "
            "...; `help` there lists all (virtual GPU). `last` opens the launch that had the last finding at that moment",
            debug, Completes::code, {}, ":debug k<<<1, 64>>>(p)\n:debug run(n)\n:debug last"},
    Command{"launches", "[on|off]", "prints a line for each launch: kernel, grid, time, findings", launches, Completes::nothing, "off on", ":launches on"},
    Command{"trace", "[on|off|last]", "prints the calls of cudaXxx functions with their arguments as they happen, or "
            "those of the last cell", trace, Completes::nothing, "last off on", ":trace on\n:trace last"},

    Command{"device", "[DEVICE]", "shows the device, or changes to another one and runs your cells again there", device, Completes::device, {}, ":device virtual:k20"},
    Command{"devices", "", "lists the devices to choose from", devices},
    Command{"props", "", "shows the device's properties", nullptr},
    Command{"limits", "", "shows the device's limits (cudaDeviceGetLimit)", nullptr},
    Command{"streams", "", "lists the streams with their flags, priorities and windows (virtual GPU)", nullptr},
    Command{"window", "[PTR BYTES [hit RATIO] [stream S] | clear [stream S]]",
            "shows, sets or clears access policy windows of the L2 cache", nullptr, Completes::code, "clear hit stream",
            ":window d 1M hit 0.6\n:window d 4096 stream s\n:window clear"},

    Command{"time", "CODE", "runs CODE as a cell, or a command, and shows how long that took", time, Completes::code, {}, ":time k<<<1, 32>>>(p);\n:time :show d"},
    Command{"history", "[CELL|TEXT]", "lists the cells with their numbers, or those that contain TEXT; shows one", history, Completes::nothing, {}, ":history 3\n:history cudaMalloc"},
    Command{"undo", "", "takes back the last cell: runs the others again in a new worker", undo},
    Command{"redo", "", "runs the cell that :undo took back", redo},
    Command{"complete", "TEXT", "lists what can follow TEXT, as Tab does", complete_text, Completes::code, {},
            ":complete cudaMallocP\n:complete cudaMemcpy(d, h, 4, "},
    Command{"edit", "[CELL]", "opens a cell, or a new one, in your editor ($VISUAL, $EDITOR), and runs it", edit, Completes::nothing, {}, ":edit 3"},
    Command{"replay", "", "starts a new worker and runs your cells again", replay},
    Command{"reset", "", "starts a new worker and forgets all cells", reset},
    Command{"save-session", "FILE",
            "writes the cells as a program for nvcc (.cu), or with what they print as a transcript (.cudash)",
            save_session, Completes::file, {}, ":save-session lesson.cu"},
    Command{"open", "FILE", "runs the cells of a file", open_file, Completes::file, {}, ":open setup.cu"},
    Command{"lesson", "[NAME]", "lists the lessons; begins or continues one while this session waits", lesson,
            Completes::lesson, {}, ":lesson\n:lesson 4"},
    Command{"set", "[NAME [VALUE]]", "shows all settings or one, or changes one for this session", set, Completes::setting, {},
            ":set theme light\n:set show-elements 20\n:set colour"},
    Command{"explain", "[CODE]", "explains the code of a finding, with an example", explain_code, Completes::explanation, {},
            ":explain shared-race"},
    Command{"shell", "COMMAND", "runs a command of the system's shell; `!COMMAND` does the same", run_system, Completes::file, {}, ":shell nvidia-smi"},
};
// clang-format on

std::optional<int> help_of(Notebook& notebook, std::string_view name);

std::optional<int> help(Notebook& notebook, std::string_view argument) {
    if (!argument.empty()) return help_of(notebook, argument.starts_with(':') ? argument.substr(1) : argument);
    const unsigned width = notebook.display().width;
    std::string text;
    for (const std::string_view sentence :
         {"C++ and CUDA code runs as you enter it; an expression without ';' shows its value.",
          "Enter at the end of a cell runs it; Alt-Enter begins a new line in it. Two blank lines run a cell that is "
          "not complete. Ctrl-C drops what you typed, or stops a running cell.",
          "Tab completes names, Up goes to earlier cells, Ctrl-R searches them. :help COMMAND has examples."})
        for (const std::string& line : view::wrap(sentence, width, 0, "", view::LongWords::kept)) text += line + "\n";
    const view::Display& display = notebook.display();
    if (!display.rich) {
        notebook.page(text + list_commands(width, {}));
        return std::nullopt;
    }
    session::Table rows{{"command", "what it does"}, {}};
    for (const Command& command : table)
        rows.rows.push_back({fmt::format(":{} {}", command.name, command.argument), std::string(command.help)});
    display.rich({.plain = text + list_commands(width, {}), .html = view::html(rows)});
    return std::nullopt;
}

/// The row, or nothing after saying what was probably meant.
const Command* find_command(Notebook& notebook, std::string_view name) {
    const auto* command =
        std::find_if(table.begin(), table.end(), [&](const Command& row) { return row.name == name; });
    if (command != table.end()) return command;
    std::vector<std::string_view> names;
    for (const Command& row : table) names.push_back(row.name);
    const auto meant = suggest(name, names);
    notebook.fail(error("unknown-command", fmt::format("there is no command :{}", name),
                        meant ? fmt::format("did you mean :{}?", *meant) : ":help lists the commands"));
    return nullptr;
}

/// The command's form, and an example if it has one.
std::string form_of(const Command& command) {
    std::string text = fmt::format(":{} {}", command.name, command.argument);
    if (!command.example.empty())
        text += fmt::format("; for example `{}`", command.example.substr(0, command.example.find('\n')));
    return text;
}

std::optional<int> help_of(Notebook& notebook, std::string_view name) {
    const Command* command = find_command(notebook, name);
    if (!command) return std::nullopt;
    const unsigned width = notebook.display().width;
    std::string text = fmt::format(":{} {}\n", command->name, command->argument);
    for (const std::string& line : view::wrap(command->help, width > 2 ? width - 2 : 0, 0, "", view::LongWords::kept))
        text += fmt::format("  {}\n", line);
    std::string_view examples = command->example;
    while (!examples.empty()) {
        const std::size_t end = std::min(examples.size(), examples.find('\n'));
        text += fmt::format("    {}\n", examples.substr(0, end));
        examples.remove_prefix(std::min(examples.size(), end + 1));
    }
    notebook.display().results(text);
    return std::nullopt;
}

}  // namespace

std::span<const Command> commands() {
    return table;
}

std::string list_commands(unsigned width, std::span<const std::string_view> without) {
    std::string text;
    for (const Command& command : table)
        if (std::ranges::find(without, command.name) == without.end())
            text += view::entry(fmt::format(":{} {}", command.name, command.argument), command.help, 22, width);
    return text;
}

namespace {

/// `ls -l`, `./a.out`: not `!done`, which is C++.
bool names_program(std::string_view line) {
    line = trim(line);
    const std::string_view word = line.substr(0, line.find_first_of(" \t;&|"));
    static constexpr std::array not_programs = {"true", "false", "test", "sizeof"};
    if (word.empty() || std::ranges::find(not_programs, word) != not_programs.end()) return false;
    const bool is_path =
        word.starts_with('/') || word.starts_with("./") || word.starts_with("../") || word.starts_with("~/");
    constexpr std::string_view characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.";
    return is_path || (word.find_first_not_of(characters) == std::string_view::npos && is_program(std::string(word)));
}

}  // namespace

std::string as_command(std::string_view line) {
    line = trim(line);
    const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    if (line == ":q" || line == ":exit") return ":quit";
    if (line == ":h" || line == ":?") return ":help";
    if (line == ":" || (line.size() > 1 && line[0] == ':' && is_letter(line[1]))) return std::string(line);
    if (line == "help" || line == "?") return ":help";
    if (line == "quit" || line == "exit" || line == "quit()" || line == "exit()") return ":quit";
    if (line.starts_with('!') && names_program(line.substr(1))) return ":shell " + std::string(trim(line.substr(1)));
    const std::string_view name = line.starts_with('?') ? line.substr(1)
                                  : line.ends_with('?') ? line.substr(0, line.size() - 1)
                                                        : std::string_view();
    const auto in_name = [&](char c) {
        return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '_' || c == ':' || c == '-';
    };
    if (!name.empty() && std::ranges::all_of(name, in_name) && !std::isdigit(static_cast<unsigned char>(name[0])))
        return fmt::format(":about {}", name);
    return {};
}

bool is_command(std::string_view line) {
    return !as_command(line).empty();
}

namespace {

/// The first C++ name in `line`; `exit` is a function everywhere.
std::string_view first_name(std::string_view line) {
    if (line.starts_with("exit") || line.ends_with('?') || line.starts_with('?')) return {};
    line.remove_prefix(std::min(line.find_first_not_of("! "), line.size()));
    const auto end =
        std::ranges::find_if_not(line, [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); });
    return line.substr(0, static_cast<std::size_t>(end - line.begin()));
}

std::optional<int> dispatch(Notebook& notebook, std::string_view line) {
    line.remove_prefix(1);
    const std::string_view name = line.substr(0, line.find_first_of(" \t\n"));
    const std::string_view argument = trim(line.substr(name.size()));
    notebook.begin_command();
    const Command* command = find_command(notebook, name);
    if (!command) return std::nullopt;
    if (!argument.empty() && command->argument.empty())
        return notebook.fail(error("bad-argument", fmt::format(":{} takes no argument", name)));
    if (argument.empty() && !command->argument.empty() && command->argument.front() != '[')
        return notebook.fail(
            error("bad-argument", fmt::format(":{} needs {}", name, command->argument), form_of(*command)));
    if (command->handler) return command->handler(notebook, argument);
    notebook.inspect(line);
    return std::nullopt;
}

}  // namespace

std::optional<int> run_command(Notebook& notebook, std::string_view typed) {
    typed = trim(typed);
    const std::string command = as_command(typed);
    std::string_view line = command;
    // `quit` is a variable, if a cell has made one of that name.
    if (typed.front() != ':' && notebook.has_word(first_name(typed))) {
        notebook.evaluate(std::string(typed) + "\n");
        return std::nullopt;
    }
    const auto& events = notebook.display().events;
    const auto begin = std::chrono::steady_clock::now();
    if (events) events->begin({}, line);
    const auto quit_code = dispatch(notebook, line);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (events) events->end({}, notebook.code() == 0 ? "ok" : "failed", notebook.code(), taken.count());
    return quit_code;
}

}  // namespace cudash::shell
