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

/// What the student may have meant by a word that is no command.
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

}  // namespace

std::string_view version() {
    return CUDASH_VERSION;
}

ParsedCommandLine parse_command_line(int argc, char** argv) {
    ParsedCommandLine result;
    CommandLine& command = result.command;
    std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto separator = std::find(arguments.begin(), arguments.end(), "--");
    const bool has_separator = separator != arguments.end();
    if (const auto program = program_of_exec(arguments); program != arguments.end()) {
        command.arguments.assign(program + 1, arguments.end());
        arguments.erase(program + 1, arguments.end());
        if (!command.arguments.empty() && command.arguments.front() == "--")
            command.arguments.erase(command.arguments.begin());
    } else if (has_separator) {
        command.arguments.assign(separator + 1, arguments.end());
        arguments.erase(separator, arguments.end());
    }

    CLI::App app(
        "An interactive shell and interpreter for CUDA C++, with or without a GPU.\n"
        "Without a command: the shell, or cells from stdin if that is no terminal.",
        "cudash");
    app.footer(footer());
    app.set_version_flag("--version", "cudash " CUDASH_VERSION);
    app.fallthrough();
    SessionOptions more;
    add_session_options(app, command.worker, more);
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
    std::string json;
    app.add_flag("--json", json,
                 "one JSON object per line: what cells do, on stdout; the findings of `run`, on stderr; --json=events, "
                 "--json=findings: the one or the other");
    app.add_flag("--times", command.times, "with events, and with grade: how long it took, too");
    app.add_option("--compile-commands", command.compile_commands,
                   "writes DIR/compile_commands.json, for clangd to understand the CUDA files in DIR (.)")
        ->type_name("[DIR]")
        ->expected(0, 1)
        ->default_str(".");
    app.require_subcommand(0, 1);

    CLI::App* run = app.add_subcommand("run", "runs a CUDA program: FILE... [-- ARGUMENTS]");
    run->add_option("FILE", command.files, "source files, read in together")->required();
    std::string via;
    run->add_option("--via", via,
                    "interpreter, or nvcc, which builds the program first; without this, nvcc builds what can't be "
                    "interpreted")
        ->check(CLI::IsMember({"interpreter", "nvcc"}));
    run->add_option("--sarif", command.sarif, "writes the findings to FILE as SARIF 2.1.0, for editors and code hosts")
        ->type_name("FILE");
    run->add_flag("--verbose", command.verbose, "says when nvcc builds the program, and why");
    CLI::App* exec = app.add_subcommand("exec", "runs a program that nvcc has built: PROGRAM [ARGUMENTS]");
    exec->add_option("PROGRAM", command.files, "the program; what follows are its own arguments")
        ->required()
        ->expected(1);
    exec->add_flag("--debug", command.debug,
                   "stops in its kernels, as `cudash debug` does; nvcc -G -g builds them with lines and variables");
    CLI::App* debug =
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
    CLI::App* transcript = app.add_subcommand("transcript", "runs cells and compares what they print");
    transcript->add_option("FILE", command.files, ".cudash or .md files, or folders of them")->required();
    transcript->add_flag("--rewrite", command.rewrite, "puts the actual output into the files");
    CLI::App* doctor =
        app.add_subcommand("doctor", "says what was found on this machine, and how to get what is missing");
    CLI::App* explain = app.add_subcommand("explain", "says what the code of a finding means, with an example");
    explain->add_option("CODE", command.topic, "as in error[CODE]; without one, all are listed");
    CLI::App* lesson = app.add_subcommand(
        "lesson",
        "lists the lessons; NAME: begins one, or goes on with it; review; glossary [TERM]; new NAME; "
        "verify [NAME...]; export NAME FILE.ipynb");
    lesson->add_option("NAME", command.lesson, "a lesson's number, name, or the beginning of its name");
    std::string lesson_check;
    lesson->add_flag("--check", lesson_check, "runs the lesson's cells and compares; --check=CHECKERS as elsewhere");
    lesson
        ->add_option("--transcript", command.lesson_transcript, "writes what you did in the lesson to FILE (Markdown)")
        ->type_name("FILE");
    lesson
        ->add_option("--progress", command.lesson_progress,
                     "writes what you have done in all lessons and puzzles to FILE, as comma-separated values")
        ->type_name("FILE");
    CLI::App* puzzle =
        app.add_subcommand("puzzle", "lists the puzzles; NAME: begins one, or goes on with it; verify [NAME...]");
    puzzle->add_option("NAME", command.lesson, "a puzzle's number, name, or the beginning of its name");
    CLI::App* grade = app.add_subcommand("grade",
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
    CLI::App* kernel = app.add_subcommand(
        "kernel", "CUDA C++ in Jupyter's notebooks: install [--user]; uninstall [--user]; run CONNECTION_FILE");
    kernel->add_option("WHAT", command.kernel, "install, uninstall, or run and the file that Jupyter gives it");
    kernel->add_flag("--user", command.kernelspec.user, "for you alone, not for all users of this machine");
    kernel->add_option("--prefix", command.kernelspec.prefix, "for the environment in this folder")->type_name("DIR");
    kernel->add_option("--name", command.kernelspec.name, "of the kernel, so that there can be several")
        ->type_name("NAME");
    CLI::App* serve = app.add_subcommand(
        "serve", "opens Jupyter's notebooks in a browser, with the lessons and this kernel; for this machine alone");
    serve->add_option("FOLDER", command.serve.folder, "for your notebooks; without it, cudash-notebooks at home");
    serve
        ->add_option("--port", command.serve.port,
                     "on which the server listens; without it, the first free one from 8888")
        ->type_name("N")
        ->check(CLI::Range(1, 65535));
    serve->add_flag("--no-browser", command.serve.no_browser, "prints the address instead of opening it");
    for (CLI::App* subcommand : {run, exec, debug, transcript, doctor, explain, lesson, puzzle, grade, kernel, serve})
        subcommand->fallthrough();

    try {
        parse(app, normalise(std::move(arguments)));
    } catch (const CLI::Success& request) {
        result.exit_code = app.exit(request);
        return result;
    } catch (const CLI::ExtrasError&) {
        const std::vector<std::string> rest = app.remaining(true);
        const std::string word = rest.empty() ? "" : rest.front();
        const bool is_option = word.starts_with('-');
        result.exit_code = usage_error(fmt::format("unknown {} '{}'", is_option ? "option" : "command", word),
                                       is_option ? "cudash --help lists the options" : hint_for(word));
        return result;
    } catch (const CLI::ParseError& problem) {
        result.exit_code = usage_error(problem.what(), "cudash --help shows how it is used");
        return result;
    }
    finish(command.worker, more);
    command.grade.times = command.times;
    constexpr std::pair<std::string_view, CommandLine::Json> forms[] = {{"true", CommandLine::Json::standard},
                                                                        {"findings", CommandLine::Json::findings},
                                                                        {"events", CommandLine::Json::events}};
    for (const auto& [name, form] : forms)
        if (json == name) command.json = form;
    if (!json.empty() && command.json == CommandLine::Json::none)
        result.exit_code = usage_error(fmt::format("--json: '{}' is neither findings nor events", json),
                                       "--json=events, say, or --json alone");
    command.device_given = app.count("--device") > 0;
    for (const settings::Setting& row : settings::table())
        if (app.get_option_no_throw(fmt::format("--{}", row.name)) && app.count(fmt::format("--{}", row.name)) > 0)
            command.given.push_back(row.name);
    if (*run) command.action = CommandLine::Action::run;
    if (!via.empty()) command.via = via == "nvcc" ? CommandLine::Via::nvcc : CommandLine::Via::interpreter;
    if (*exec) command.action = CommandLine::Action::exec;
    if (*debug) command.action = CommandLine::Action::debug;
    if (*transcript) command.action = CommandLine::Action::transcript;
    if (*doctor) command.action = CommandLine::Action::doctor;
    if (*explain) command.action = CommandLine::Action::explain;
    if (*kernel) command.action = CommandLine::Action::kernel;
    if (*serve) command.action = CommandLine::Action::serve;
    if (*grade) command.action = CommandLine::Action::grade;
    if (*puzzle) {
        command.action = CommandLine::Action::lesson;
        command.puzzles = true;
    }
    if (*lesson) {
        command.action = CommandLine::Action::lesson;
        command.check_lesson = lesson_check == "true";
        if (!lesson_check.empty() && !command.check_lesson) {
            if (auto problem = parse_session_options({"--check=" + lesson_check}, command.worker))
                result.exit_code = usage_error(problem->message, "cudash --help shows how it is used");
        }
    }
    if (app.get_subcommands().empty() && !command.code.empty()) command.action = CommandLine::Action::cells;
    if (app.count("--compile-commands") > 0) {
        command.action = CommandLine::Action::editor;
        if (command.compile_commands.empty()) command.compile_commands = ".";
    }
    if (*debug && !result.exit_code) {
        const bool both = !command.files.empty() && !command.code.empty();
        const bool none = command.files.empty() && command.code.empty() && !command.dap;
        if (both || none)
            result.exit_code = usage_error(
                both ? "debug: a program's files and -e can't be used together" : "debug: a FILE is needed, or -e CODE",
                "cudash debug FILE.cu -- ARGUMENTS");
        if (command.dap && (!command.files.empty() || !command.code.empty() || !command.breaks.empty()))
            result.exit_code = usage_error("debug --dap: the editor says what is debugged",
                                           "give the program in the editor's launch configuration");
        if (command.finding && (!command.code.empty() || !command.breaks.empty() || command.dap))
            result.exit_code = usage_error("debug: --finding is for a program's files, and without --break",
                                           "cudash debug FILE.cu --finding; in an editor: `finding` in its console");
        if (!command.code.empty() && !command.breaks.empty())
            result.exit_code = usage_error("debug: --break is for a program's files", "`break LINE` at the prompt");
    }
    if (*exec && !command.debug && (command.finding || !command.breaks.empty()) && !result.exit_code)
        result.exit_code = usage_error("exec: --break and --finding need --debug", "cudash exec --debug PROGRAM");
    if (*exec && command.debug && command.finding && !command.breaks.empty() && !result.exit_code)
        result.exit_code = usage_error("exec: --finding can't be used with --break", "`break LINE` at the prompt");
    if (!app.get_subcommands().empty() && !*debug && !command.code.empty())
        result.exit_code = usage_error("-e can't be used with a command", "give the code alone: cudash -e CODE");
    if (has_separator && !*run && !*exec && !*debug)
        result.exit_code = usage_error("arguments after -- belong to a program", "cudash run FILE -- ARGUMENTS");
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
