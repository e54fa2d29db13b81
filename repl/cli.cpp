#include "repl/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "repl/exit_codes.h"
#include "repl/settings/settings.h"
#include "repl/shell/suggest.h"
#include "runtime_wrappers/virtual_gpu/check/checkers.h"

namespace cudash {
namespace {

std::string footer() {
    std::string text = "\nexit codes:\n";
    for (const auto& [code, meaning] : exit_codes::table) text += fmt::format("  {:<6} {}\n", code, meaning);
    return text +
           "  128+N  signal N ended the program or the worker\n"
           "`run`, `exec` and exit() in a cell give the program's own exit code.";
}

struct SessionOptions {
    double timeout = 0;
};

void add_session_options(CLI::App& app, worker::Settings& settings, SessionOptions& more) {
    session::Options& options = settings.options;
    app.add_option("--device", options.device, "auto, gpu[:N] or virtual[:PROFILE[xN]]")->type_name("DEVICE");
    app.add_option("-I", options.include_dirs, "adds a folder for #include")->type_name("DIR")->allow_extra_args(false);
    app.add_option("-D", options.defines, "defines a macro")->type_name("NAME[=VALUE]")->allow_extra_args(false);
    app.add_option("--std", options.standard, "the C++ standard, also as -std=c++20")->type_name("STANDARD");
    app.add_option("--check", options.check, "what the virtual GPU looks for: none, default, all, or NAME,...")
        ->type_name("CHECKERS")
        ->check([](const std::string& text) -> std::string {
            const auto selection = virtual_gpu::parse_selection(text);
            return selection ? "" : fmt::format("{}; {}", selection.error().message, selection.error().hint);
        });
    app.add_option("--report", settings.report,
                   "writes the profile at the end: FILE.html, a page; FILE.csv, a line for each launch")
        ->type_name("FILE")
        ->check([](const std::string& text) -> std::string {
            return text.ends_with(".html") || text.ends_with(".csv")
                       ? ""
                       : fmt::format("a report is a .html or a .csv file, which {} is not", text);
        });
    app.add_flag("--profile", options.profile, "counts what kernels on the virtual GPU do, and says so at the end");
    app.add_option("--timeout", more.timeout, "ends a cell, or the program, that runs longer")
        ->type_name("SECONDS")
        ->check([](const std::string& text) -> std::string {
            const double seconds = std::strtod(text.c_str(), nullptr);
            return seconds > 0 && seconds <= 1e6 ? "" : "SECONDS must be above 0 and at most 1000000, not " + text;
        });
}

void finish(worker::Settings& settings, const SessionOptions& more) {
    if (!settings.report.empty()) settings.options.profile = true;
    if (more.timeout <= 0) return;
    settings.timeout = settings::milliseconds(more.timeout);
    settings.options.kernel_timeout_ms = static_cast<std::uint64_t>(settings.timeout.count());
}

/// -std=X and -std X, as compilers spell it, become --std=X.
std::vector<std::string> normalise(std::vector<std::string> arguments) {
    for (std::string& argument : arguments)
        if (argument == "-std" || argument.starts_with("-std=")) argument.insert(0, "-");
    return arguments;
}

/// CLI11 takes a vector from its end.
void parse(CLI::App& app, std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
}

/// What the student may have meant by a word that is not a command.
std::string hint_for(const std::string& word) {
    static constexpr std::array<std::string_view, 11> names = {
        "run", "exec", "debug", "lesson", "puzzle", "grade", "transcript", "doctor", "explain", "kernel", "serve"};
    std::error_code ignored;
    if (std::filesystem::exists(word, ignored)) return fmt::format("cudash run {} runs a program", word);
    const auto meant = shell::suggest(word, names);
    return meant ? fmt::format("did you mean cudash {}?", *meant) : "cudash --help lists the commands and options";
}

/// The word after `exec`, if the command is that: whatever follows belongs to the program, be it an option of cudash's.
std::vector<std::string>::iterator program_of_exec(std::vector<std::string>& arguments) {
    /// Options that have their value in the next word.
    static constexpr std::array<std::string_view, 12> with_value = {"--device", "-I",   "-D",       "--std",
                                                                    "--check",  "-e",   "--report", "--timeout",
                                                                    "--set",    "-std", "--format", "--break"};
    bool is_exec = false;
    for (auto at = arguments.begin(); at != arguments.end(); ++at) {
        if (std::ranges::find(with_value, *at) != with_value.end()) {
            if (++at == arguments.end()) break;
        } else if (!at->starts_with('-')) {
            if (is_exec) return at;
            if (*at != "exec") break;
            is_exec = true;
        }
    }
    return arguments.end();
}

int usage_error(const std::string& message, const std::string& hint) {
    fmt::print(stderr, "cudash: {}\n  hint: {}\n", message, hint);
    return exit_codes::usage;
}

/// The commands, and what is said of them as a word.
struct Subcommands {
    CLI::App *run = nullptr, *exec = nullptr, *debug = nullptr, *transcript = nullptr, *doctor = nullptr,
             *explain = nullptr, *lesson = nullptr, *puzzle = nullptr, *grade = nullptr, *kernel = nullptr,
             *serve = nullptr;
    std::string json, via, lesson_check;
};

void add_general_options(CLI::App& app, CommandLine& command, Subcommands& use) {
    app.add_option("-e", command.code, "evaluates CODE; may be repeated")->type_name("CODE")->allow_extra_args(false);
    app.add_flag("--keep-going", command.keep_going,
                 "continues after a failed cell; the exit code is still that cell's");
    app.add_option("--set", command.set, "a setting for this run, as in config.toml; `cudash doctor` lists them")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false)
        ->check([](const std::string& text) -> std::string {
            settings::Settings scratch;
            const auto problem = settings::set_from_text(scratch, text);
            if (!problem) return "";
            return problem->hint.empty() ? problem->message : fmt::format("{}; {}", problem->message, problem->hint);
        });
    app.add_flag("--plain", command.plain, "no color and no terminal control (also with NO_COLOR)");
    app.add_flag("--json", use.json,
                 "one JSON object per line: what cells do, on stdout; the findings of `run`, on stderr; --json=events, "
                 "--json=findings: the one or the other");
    app.add_flag("--times", command.times, "with events, and with grade: how long it took, too");
    app.add_option("--compile-commands", command.compile_commands,
                   "writes DIR/compile_commands.json, for clangd to understand the CUDA files in DIR (.)")
        ->type_name("[DIR]")
        ->expected(0, 1)
        ->default_str(".");
}

void add_program_commands(CLI::App& app, CommandLine& command, Subcommands& use) {
    CLI::App* run = use.run = app.add_subcommand("run", "runs a CUDA program: FILE... [-- ARGUMENTS]");
    run->add_option("FILE", command.files, "source files, read in together")->required();
    run->add_option("--via", use.via,
                    "interpreter, or nvcc, which builds the program first; without this, nvcc builds what can't be "
                    "interpreted")
        ->check(CLI::IsMember({"interpreter", "nvcc"}));
    run->add_option("--sarif", command.sarif, "writes the findings to FILE as SARIF 2.1.0, for editors and code hosts")
        ->type_name("FILE");
    run->add_flag("--verbose", command.verbose, "says when nvcc builds the program, and why");
    CLI::App* exec = use.exec = app.add_subcommand("exec", "runs a program that nvcc has built: PROGRAM [ARGUMENTS]");
    exec->add_option("PROGRAM", command.files, "the program; what follows are its own arguments")
        ->required()
        ->expected(1);
    exec->add_flag("--debug", command.debug,
                   "stops in its kernels, as `cudash debug` does; nvcc -G -g builds them with lines and variables");
    CLI::App* debug = use.debug =
        app.add_subcommand("debug", "runs a CUDA program, and stops in its kernels: FILE... [-- ARGUMENTS]");
    debug->add_option("FILE", command.files, "source files, read in together");
    for (CLI::App* each : {debug, exec}) {
        each->add_option(
                "--break", command.breaks,
                "stops at FILE:LINE, LINE or FUNCTION, also with `if EXPR`; may be repeated. Without it, the first "
                "launch stops")
            ->type_name("PLACE")
            ->allow_extra_args(false);
        each->add_flag("--finding", command.finding,
                       "runs the launches with all checks, and stops before the first thing that they find");
    }
    debug->add_flag("--dap", command.dap, "speaks the Debug Adapter Protocol on stdin and stdout, for editors");
    debug->footer(
        "At the (debug) prompt, `help` lists the commands: step, reverse-step, break, lanes, print, who wrote, ...\n"
        "Without a terminal they are read from stdin, and the program has no input.\n"
        "`cudash debug -e CODE` debugs the first launch of CODE instead of a program.");
}

void add_learning_commands(CLI::App& app, CommandLine& command, Subcommands& use) {
    CLI::App* transcript = use.transcript = app.add_subcommand("transcript", "runs cells and compares what they print");
    transcript->add_option("FILE", command.files, ".cudash or .md files, or folders of them")->required();
    transcript->add_flag("--rewrite", command.rewrite, "puts the actual output into the files");
    use.doctor = app.add_subcommand("doctor", "says what was found on this machine, and how to get what is missing");
    CLI::App* explain = use.explain =
        app.add_subcommand("explain", "says what the code of a finding means, with an example");
    explain->add_option("CODE", command.topic, "as in error[CODE]; without one, all are listed");
    CLI::App* lesson = use.lesson = app.add_subcommand(
        "lesson",
        "lists the lessons; NAME: begins one, or goes on with it; review; glossary [TERM]; new NAME; "
        "verify [NAME...]; export NAME FILE.ipynb");
    lesson->add_option("NAME", command.lesson, "a lesson's number, name, or the beginning of its name");
    lesson->add_flag("--check", use.lesson_check,
                     "runs the lesson's cells and compares; --check=CHECKERS as elsewhere");
    lesson
        ->add_option("--transcript", command.lesson_transcript, "writes what you did in the lesson to FILE (Markdown)")
        ->type_name("FILE");
    lesson
        ->add_option("--progress", command.lesson_progress,
                     "writes what you have done in all lessons and puzzles to FILE, as comma-separated values")
        ->type_name("FILE");
    CLI::App* puzzle = use.puzzle =
        app.add_subcommand("puzzle", "lists the puzzles; NAME: begins one, or goes on with it; verify [NAME...]");
    puzzle->add_option("NAME", command.lesson, "a puzzle's number, name, or the beginning of its name");
}

void add_grade_command(CLI::App& app, CommandLine& command, Subcommands& use) {
    CLI::App* grade = use.grade =
        app.add_subcommand("grade",
                           "grades: ASSIGNMENT FILE.cu | FILE.ipynb | FOLDER; new NAME; verify "
                           "ASSIGNMENT...; merge | status | cancel | again | report "
                           "FOLDER; key FILE; sheet ASSIGNMENT; similar ASSIGNMENT FOLDER");
    grade->add_option("WHAT", command.grade.words,
                      "an assignment's folder or name, then a submission or a folder of them");
    grade->add_option("--format", command.grade.format, "text, json, gradescope, junit, github, check50 or exercism")
        ->type_name("FORMAT");
    grade->add_option("--output", command.grade.output, "the result's file; of a class, a folder")->type_name("FILE");
    grade->add_option("--jobs", command.grade.jobs, "submissions at a time")->type_name("N")->check(CLI::Range(1, 256));
    grade->add_option("--shard", command.grade.shard, "grades one of N parts of a class; `grade merge` joins them")
        ->type_name("I/N");
    grade->add_option("--on", command.grade.engine, "slurm: grades a class there, as a job array")->type_name("ENGINE");
    grade->add_option("--shards", command.grade.shards, "with --on: the parts of the class")
        ->type_name("N")
        ->check(CLI::Range(1, 100000));
    grade
        ->add_option("--engine-option", command.grade.engine_options,
                     "with --on: an option for sbatch, as --engine-option=--partition=long; may be repeated")
        ->type_name("OPTION")
        ->allow_extra_args(false);
    grade->add_option("--key", command.grade.key, "the course's key, for assignments with own inputs for every student")
        ->type_name("FILE");
    grade->add_option("--student", command.grade.student, "whose submission or sheet it is")->type_name("ID");
    grade->add_option("--course", command.grade.course, "course.toml: the roster, the deadline and what late ones lose")
        ->type_name("FILE");
    grade->add_flag("--accept", command.grade.accepts, "with again: the new marks replace the old ones");
    grade
        ->add_option("--without-layer", command.grade.without_layers,
                     "with verify: leaves a layer of the sandbox out, to test that the others hold")
        ->type_name("LAYER")
        ->allow_extra_args(false);
}

void add_notebook_commands(CLI::App& app, CommandLine& command, Subcommands& use) {
    CLI::App* kernel = use.kernel = app.add_subcommand(
        "kernel", "CUDA C++ in Jupyter's notebooks: install [--user]; uninstall [--user]; run CONNECTION_FILE");
    kernel->add_option("WHAT", command.kernel, "install, uninstall, or run and the file that Jupyter gives it");
    kernel->add_flag("--user", command.kernelspec.user, "for you alone, not for all users of this machine");
    kernel->add_option("--prefix", command.kernelspec.prefix, "for the environment in this folder")->type_name("DIR");
    kernel->add_option("--name", command.kernelspec.name, "of the kernel, so that there can be several")
        ->type_name("NAME");
    CLI::App* serve = use.serve = app.add_subcommand(
        "serve", "opens Jupyter's notebooks in a browser, with the lessons and this kernel; for this machine alone");
    serve->add_option("FOLDER", command.serve.folder, "for your notebooks; without it, cudash-notebooks at home");
    serve
        ->add_option("--port", command.serve.port,
                     "on which the server listens; without it, the first free one from 8888")
        ->type_name("N")
        ->check(CLI::Range(1, 65535));
    serve->add_flag("--no-browser", command.serve.no_browser, "prints the address instead of opening it");
}

/// Takes what belongs to the program out of `arguments`: what follows `--`, or the program of `exec`. True if there was
/// a --.
bool take_program_arguments(std::vector<std::string>& arguments, std::vector<std::string>& own) {
    const auto separator = std::find(arguments.begin(), arguments.end(), "--");
    const bool has_separator = separator != arguments.end();
    if (const auto program = program_of_exec(arguments); program != arguments.end()) {
        own.assign(program + 1, arguments.end());
        arguments.erase(program + 1, arguments.end());
        if (!own.empty() && own.front() == "--") own.erase(own.begin());
    } else if (has_separator) {
        own.assign(separator + 1, arguments.end());
        arguments.erase(separator, arguments.end());
    }
    return has_separator;
}

/// What can't be read as options; the exit code, if that ends it.
std::optional<int> read_arguments(CLI::App& app, std::vector<std::string> arguments) {
    try {
        parse(app, normalise(std::move(arguments)));
    } catch (const CLI::Success& request) {
        return app.exit(request);
    } catch (const CLI::ExtrasError&) {
        const std::vector<std::string> rest = app.remaining(true);
        const std::string word = rest.empty() ? "" : rest.front();
        const bool is_option = word.starts_with('-');
        return usage_error(fmt::format("unknown {} '{}'", is_option ? "option" : "command", word),
                           is_option ? "cudash --help lists the options" : hint_for(word));
    } catch (const CLI::ParseError& problem) {
        return usage_error(problem.what(), "cudash --help shows how it is used");
    }
    return std::nullopt;
}

CommandLine::Action action_of(const CLI::App& app, const Subcommands& use, const CommandLine& command) {
    using Action = CommandLine::Action;
    const std::pair<const CLI::App*, Action> rows[] = {
        {use.run, Action::run},       {use.exec, Action::exec},
        {use.debug, Action::debug},   {use.transcript, Action::transcript},
        {use.doctor, Action::doctor}, {use.explain, Action::explain},
        {use.lesson, Action::lesson}, {use.puzzle, Action::lesson},
        {use.grade, Action::grade},   {use.kernel, Action::kernel},
        {use.serve, Action::serve}};
    if (app.count("--compile-commands") > 0) return Action::editor;
    for (const auto& [subcommand, action] : rows)
        if (*subcommand) return action;
    return command.code.empty() ? Action::shell : Action::cells;
}

/// Options that don't go together.
struct Misuse {
    std::string_view message, hint;
};
std::optional<Misuse> misuse_of(const CLI::App& app, const Subcommands& use, const CommandLine& command,
                                bool has_separator) {
    const bool files = !command.files.empty(), code = !command.code.empty(), breaks = !command.breaks.empty();
    if (*use.debug) {
        if (files && code)
            return Misuse{"debug: a program's files and -e can't be used together",
                          "cudash debug FILE.cu -- ARGUMENTS"};
        if (!files && !code && !command.dap)
            return Misuse{"debug: a FILE is needed, or -e CODE", "cudash debug FILE.cu -- ARGUMENTS"};
        if (command.dap && (files || code || breaks))
            return Misuse{"debug --dap: the editor says what is debugged",
                          "give the program in the editor's launch configuration"};
        if (command.finding && (code || breaks || command.dap))
            return Misuse{"debug: --finding is for a program's files, and without --break",
                          "cudash debug FILE.cu --finding; in an editor: `finding` in its console"};
        if (code && breaks) return Misuse{"debug: --break is for a program's files", "`break LINE` at the prompt"};
    } else if (!app.get_subcommands().empty() && code) {
        return Misuse{"-e can't be used with a command", "give the code alone: cudash -e CODE"};
    }
    if (*use.exec && !command.debug && (command.finding || breaks))
        return Misuse{"exec: --break and --finding need --debug", "cudash exec --debug PROGRAM"};
    if (*use.exec && command.finding && breaks)
        return Misuse{"exec: --finding can't be used with --break", "`break LINE` at the prompt"};
    if (has_separator && !*use.run && !*use.exec && !*use.debug)
        return Misuse{"arguments after -- belong to a program", "cudash run FILE -- ARGUMENTS"};
    return std::nullopt;
}

/// What --json and --check of a lesson say.
std::optional<int> read_words(const Subcommands& use, CommandLine& command) {
    constexpr std::pair<std::string_view, CommandLine::Json> forms[] = {{"true", CommandLine::Json::standard},
                                                                        {"findings", CommandLine::Json::findings},
                                                                        {"events", CommandLine::Json::events}};
    for (const auto& [name, form] : forms)
        if (use.json == name) command.json = form;
    if (!use.json.empty() && command.json == CommandLine::Json::none)
        return usage_error(fmt::format("--json: '{}' is neither findings nor events", use.json),
                           "--json=events, say, or --json alone");
    if (!use.via.empty()) command.via = use.via == "nvcc" ? CommandLine::Via::nvcc : CommandLine::Via::interpreter;
    command.puzzles = static_cast<bool>(*use.puzzle);
    command.check_lesson = use.lesson_check == "true";
    if (!use.lesson_check.empty() && !command.check_lesson)
        if (auto problem = parse_session_options({"--check=" + use.lesson_check}, command.worker))
            return usage_error(problem->message, "cudash --help shows how it is used");
    return std::nullopt;
}

}  // namespace

std::string_view version() {
    return CUDASH_VERSION;
}

ParsedCommandLine parse_command_line(int argc, char** argv) {
    ParsedCommandLine result;
    CommandLine& command = result.command;
    std::vector<std::string> arguments(argv + 1, argv + argc);
    const bool has_separator = take_program_arguments(arguments, command.arguments);

    CLI::App app(
        "An interactive shell and interpreter for CUDA C++, with or without a GPU.\n"
        "Without a command: the shell, or cells from stdin if that is not a terminal.",
        "cudash");
    app.footer(footer());
    app.set_version_flag("--version", "cudash " CUDASH_VERSION);
    app.fallthrough();
    SessionOptions more;
    Subcommands use;
    add_session_options(app, command.worker, more);
    add_general_options(app, command, use);
    app.require_subcommand(0, 1);
    add_program_commands(app, command, use);
    add_learning_commands(app, command, use);
    add_grade_command(app, command, use);
    add_notebook_commands(app, command, use);
    for (CLI::App* subcommand : app.get_subcommands([](CLI::App*) { return true; })) subcommand->fallthrough();

    result.exit_code = read_arguments(app, std::move(arguments));
    if (result.exit_code) return result;
    finish(command.worker, more);
    command.grade.times = command.times;
    command.device_given = app.count("--device") > 0;
    for (const settings::Setting& row : settings::table())
        if (app.get_option_no_throw(fmt::format("--{}", row.name)) && app.count(fmt::format("--{}", row.name)) > 0)
            command.given.push_back(row.name);
    command.action = action_of(app, use, command);
    if (command.action == CommandLine::Action::editor && command.compile_commands.empty())
        command.compile_commands = ".";
    result.exit_code = read_words(use, command);
    if (result.exit_code) return result;
    if (const auto misuse = misuse_of(app, use, command, has_separator))
        result.exit_code = usage_error(std::string(misuse->message), std::string(misuse->hint));
    return result;
}

std::optional<Diagnostic> parse_session_options(const std::vector<std::string>& arguments, worker::Settings& settings) {
    CLI::App app;
    SessionOptions more;
    add_session_options(app, settings, more);
    try {
        parse(app, normalise(arguments));
    } catch (const CLI::ParseError& problem) {
        return error("bad-option", problem.what());
    }
    finish(settings, more);
    return std::nullopt;
}

}  // namespace cudash
