// cudash: the front end's entry, and the worker's.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

#include "repl/cli.h"
#include "repl/compile_commands.h"
#include "repl/dap/dap.h"
#include "repl/doctor.h"
#include "repl/exec/executable.h"
#include "repl/exit_codes.h"
#include "repl/explain.h"
#include "repl/grade/grade_command.h"
#include "repl/lesson/lesson_command.h"
#include "repl/lesson/lessons_folder.h"
#include "repl/lesson/notebook_lesson.h"
#include "repl/lesson/transcript_runner.h"
#include "repl/notebook/notebook_command.h"
#include "repl/own_program.h"
#include "repl/session/libraries.h"
#include "repl/shell/batch.h"
#include "repl/shell/debug_program.h"
#include "repl/shell/shell.h"
#include "repl/shell/text_check.h"
#include "repl/shell/why_not_interpreted.h"
#include "repl/shell/write_file.h"
#include "repl/view/display.h"
#include "repl/view/sarif.h"
#include "repl/worker/server.h"
#include "runtime_wrappers/libraries/serve.h"
#include "runtime_wrappers/nvrtc/nvcc_build.h"
#include "runtime_wrappers/virtual_gpu/devices/profile.h"

namespace {

using namespace cudash;

std::string read_stdin() {
    return {std::istreambuf_iterator<char>(std::cin), {}};
}

/// The exit code of what has run, once its profile is shown or written.
int with_profile(shell::Notebook& notebook, int code) {
    if (!notebook.say_profile() && code == 0) code = exit_codes::cannot_create;
    if (notebook.display().events) notebook.display().events->exit(code);
    return code;
}

/// Cells or a program, as their user wants them.
bool evaluates(CommandLine::Action action) {
    using Action = CommandLine::Action;
    return action == Action::shell || action == Action::cells || action == Action::run || action == Action::exec ||
           action == Action::debug || action == Action::kernel;
}

/// What the command line, the environment and the file say, in this order. Whatever is compared with what was expected
/// (transcripts, lessons, grades) depends on no file of its user's.
settings::Settings read_settings(const CommandLine& command, std::vector<Diagnostic>& warnings) {
    settings::Settings settings;
    const bool reads_file = evaluates(command.action) || command.action == CommandLine::Action::doctor;
    const settings::Environment environment = [](const char* name) { return std::getenv(name); };
    if (reads_file) settings::read_file(settings, environment, warnings);
    settings::read_environment(settings, environment, warnings);
    for (const std::string& text : command.set) (void)settings::set_from_text(settings, text);  // checked before
    if (command.plain) (void)settings::set_from_text(settings, "colour=never");
    settings.take(command.worker, command.given);
    return settings;
}

/// Of an interactive shell, --json gives the findings alone: its answers are for its user.
bool wants_events(const CommandLine& command, bool interactive) {
    using Action = CommandLine::Action;
    using Json = CommandLine::Json;
    if (interactive || !evaluates(command.action)) return false;
    return command.json == Json::events ||
           (command.json == Json::standard && command.action != Action::run && command.action != Action::exec);
}

/// `shown`: what the program is called; `path`: where it is; `own_name`: its first argument.
int run_executable(const CommandLine& command, worker::Settings settings, const settings::Settings& values,
                   const view::Display& display, const std::string& shown, const std::string& path,
                   const std::string& own_name) {
    auto program = exec::inspect_executable(path);
    if (!program) {
        display.show(program.error(), {});
        return program.error().code == "no-such-file" ? exit_codes::no_input : exit_codes::bad_input;
    }
    if (settings.options.device.starts_with("gpu")) {
        display.show(error("needs-virtual", "cudash exec runs programs on the virtual GPU alone",
                           fmt::format("on a real one, start {} itself", shown)),
                     {});
        return exit_codes::unavailable;
    }
    for (const Diagnostic& each : session::libraries_without_gpu(
             shown, program->imported,
             [](std::string_view function) { return libraries::find_function(function) != nullptr; }))
        display.show(each, {});
    if (settings.options.device == "auto") settings.options.device = "virtual";
    settings.options.report_api_errors = false;
    settings.options.restore_after_sticky = false;
    settings.native = {std::move(program->path), {own_name}, std::move(program->preload)};
    settings.native->arguments.insert(settings.native->arguments.end(), command.arguments.begin(),
                                      command.arguments.end());
    if (command.debug && isatty(STDIN_FILENO) != 1) settings.no_input = true;
    shell::Notebook notebook(std::move(settings), display);
    notebook.use(values);
    return with_profile(notebook, command.debug
                                      ? shell::debug_executable(notebook, shown, command.breaks, command.finding)
                                      : shell::run_executable(notebook, shown));
}

/// What nvcc is to build.
nvrtc::ProgramRequest program_request(const CommandLine& command, const worker::Settings& settings) {
    nvrtc::ProgramRequest request;
    request.sources = command.files;
    request.include_dirs = settings.options.include_dirs;
    // <cudash/display.h>
    request.include_dirs.push_back((own_program().parent_path() / "share" / "include").string());
    request.defines = settings.options.defines;
    request.standard = settings.options.standard;
    std::string_view device = settings.options.device;
    if (device.starts_with("virtual:")) device.remove_prefix(8);
    if (const auto* profile = virtual_gpu::find_profile(device)) request.arch = profile->nvrtc_arch;
    return request;
}

int run_built(const CommandLine& command, const worker::Settings& settings, const settings::Settings& values,
              const view::Display& display, const nvrtc::BuiltProgram& built) {
    const std::string &source = command.files.front(), path = built.program.string();
    const bool starts_itself = std::ranges::any_of(command.files, [](const std::string& file) {
        const auto text = shell::read_file(file);
        return text && shell::starts_programs(*text);
    });
    return run_executable(command, settings, values, display, source, path, starts_itself ? path : source);
}

/// The source files built by nvcc, then the program.
int run_via_nvcc(const CommandLine& command, const worker::Settings& settings, const settings::Settings& values,
                 const view::Display& display) {
    const auto built = nvrtc::build_with_nvcc(program_request(command, settings));
    if (built) return run_built(command, settings, values, display, *built);
    const auto missing = session::undefined_at_link(built.error().message);
    display.show(missing ? *missing : built.error(), {});
    return exit_codes::bad_input;
}

/// Interpreted; what can't be is built by nvcc, if that takes it. What neither takes has the interpreter's findings.
int run_program(const CommandLine& command, const worker::Settings& settings, const settings::Settings& values,
                const view::Display& display) {
    std::optional<nvrtc::BuiltProgram> built;
    {
        worker::Settings interpreted = settings;
        interpreted.options.report_api_errors = false;
        interpreted.options.restore_after_sticky = false;
        shell::Notebook notebook(std::move(interpreted), display);
        notebook.use(values);
        const auto build = [&](const Diagnostic& reason) -> std::optional<Diagnostic> {
            if (!notebook.client().is_virtual()) return reason;
            if (display.progress) display.progress("compiling with nvcc", 0, 0);
            auto made = nvrtc::build_with_nvcc(program_request(command, settings));
            if (display.progress) display.progress({}, 0, 0);
            if (!made) return made.error();
            built.emplace(std::move(*made));
            if (command.verbose) {
                Diagnostic note = reason;
                note.severity = Diagnostic::Severity::note;
                note.code = "built-by-nvcc";
                note.message = fmt::format("nvcc builds the program{}: {}",
                                           reason.code == shell::slow_headers ? "" : ", which can't be interpreted",
                                           reason.message);
                note.hint.clear();
                note.notes.clear();
                display.show(note, {});
            }
            return std::nullopt;
        };
        const bool chooses = command.via == CommandLine::Via::chosen;
        const int code =
            shell::run_program(notebook, command.files, command.arguments,
                               chooses ? shell::OtherWay(build) : shell::OtherWay(), settings.options.include_dirs);
        if (!built) return with_profile(notebook, code);
    }
    return run_built(command, settings, values, display, *built);
}

/// What comes on stdin is for the debugger, unless it is the terminal, which the program shares.
int debug(const CommandLine& command, worker::Settings settings, const settings::Settings& values,
          const view::Display& display) {
    if (settings.options.device == "auto") settings.options.device = "virtual";
    if (command.code.empty()) settings.options.restore_after_sticky = settings.options.report_api_errors = false;
    if (command.dap) return dap::serve(std::move(settings), STDIN_FILENO, STDOUT_FILENO);
    if (isatty(STDIN_FILENO) != 1) settings.no_input = true;
    shell::Notebook notebook(std::move(settings), display);
    notebook.use(values);
    return with_profile(notebook, shell::debug_program(notebook, {command.files, command.arguments, command.code,
                                                                  command.breaks, command.finding}));
}

/// A line of a file, as findings mean it.
std::optional<std::string> line_of_file(std::string_view path, unsigned number) {
    std::ifstream file{std::string(path)};
    std::string line;
    while (number > 0 && std::getline(file, line)) --number;
    return number == 0 && file ? std::optional(line) : std::nullopt;
}

/// With --sarif: the findings as that file.
int with_sarif(const std::string& path, const std::vector<Diagnostic>& findings, int code,
               const view::Display& display) {
    const std::string why = shell::write_file(path, view::sarif_of(findings, line_of_file, code, version()));
    if (why.empty()) return code;
    display.messages(
        fmt::format("cudash: the findings can't be written to {}: {}\n"
                    "  hint: does the folder exist, and may it be written to?\n",
                    path, why));
    return code == 0 ? exit_codes::cannot_create : code;
}

/// The shell in a terminal, or cells from stdin.
int run_shell(const CommandLine& command, const worker::Settings& settings, const settings::Settings& values,
              const view::Display& display, bool interactive) {
    shell::Notebook notebook(settings, display);
    notebook.use(values);
    lesson::serve_lessons(notebook, command.worker);
    if (!interactive) {
        // All of it first: where a cell ends can depend on the line after it.
        notebook.client().start();
        return with_profile(notebook, shell::run_cells(notebook, {read_stdin()}, command.keep_going));
    }
    notebook.set_lessons({[&](std::string_view name) {
                              lesson::LessonCommand walk;
                              if (!name.empty()) walk.words = {std::string(name)};
                              walk.worker = command.worker;
                              walk.device_given = command.device_given;
                              walk.plain = command.plain;
                              walk.in_shell = true;
                              return lesson::run_lesson_command(walk, display);
                          },
                          lesson::lesson_names, notebook.lessons().in_cells, notebook.lessons().exercise_code});
    const int code = shell::run_shell(notebook);
    return settings.report.empty() ? code : with_profile(notebook, code);
}

int run(const CommandLine& command) {
    std::vector<Diagnostic> warnings;
    settings::Settings values = read_settings(command, warnings);
    const bool interactive = command.action == CommandLine::Action::shell && isatty(STDIN_FILENO) == 1;
    if (evaluates(command.action) && !interactive) values.leave_shell();
    view::Look look = values.values().look();
    look.plain = command.plain;
    const bool events = wants_events(command, interactive);
    view::Display display = events ? view::event_display(look, command.times)
                                   : view::standard_display(look, command.json != CommandLine::Json::none);
    std::vector<Diagnostic> findings;
    constexpr std::size_t most_findings = 10'000;
    if (!command.sarif.empty())
        display.collect = [&findings](const Diagnostic& finding) {
            if (findings.size() < most_findings) findings.push_back(finding);
        };
    for (const Diagnostic& warning : warnings) display.show(warning, {});
    worker::Settings settings = command.worker;
    if (evaluates(command.action)) values.values().to_worker(settings);
    switch (command.action) {
        case CommandLine::Action::doctor:
            return doctor(settings, values, display);
        case CommandLine::Action::editor:
            return write_compile_commands(command.compile_commands, display);
        case CommandLine::Action::explain:
            return explain(command.topic, display);
        case CommandLine::Action::transcript:
            return lesson::run_transcripts(command.files, {settings, command.device_given, command.rewrite}, display);
        case CommandLine::Action::lesson:
            return lesson::run_lesson_command(
                {command.lesson, command.puzzles, settings, command.device_given, command.check_lesson,
                 command.lesson_transcript, command.lesson_progress, command.plain, false},
                display);
        case CommandLine::Action::grade: {
            grade::GradeCommand grading = command.grade;
            grading.worker = settings;
            grading.lessons = lesson::lessons_folder();
            return grade::run_grade_command(grading, display);
        }
        case CommandLine::Action::kernel: {
            notebook::Kernelspec spec = command.kernelspec;
            if (command.device_given) spec.device = command.worker.options.device;
            return notebook::run_kernel_command({command.kernel, spec, settings, values}, display);
        }
        case CommandLine::Action::serve: {
            notebook::ServeCommand serve = command.serve;
            if (command.device_given) serve.device = command.worker.options.device;
            return notebook::run_serve_command(serve, display);
        }
        case CommandLine::Action::run: {
            const int code = command.via == CommandLine::Via::nvcc ? run_via_nvcc(command, settings, values, display)
                                                                   : run_program(command, settings, values, display);
            return command.sarif.empty() ? code : with_sarif(command.sarif, findings, code, display);
        }
        case CommandLine::Action::debug:
            return debug(command, settings, values, display);
        case CommandLine::Action::exec:
            return run_executable(command, settings, values, display, command.files.front(), command.files.front(),
                                  command.files.front());
        case CommandLine::Action::cells: {
            shell::Notebook notebook(settings, display);
            notebook.use(values);
            lesson::serve_lessons(notebook, command.worker);
            return with_profile(notebook, shell::run_cells(notebook, command.code, command.keep_going));
        }
        case CommandLine::Action::shell:
            return run_shell(command, settings, values, display, interactive);
    }
    return exit_codes::usage;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "--worker") == 0) {
        int socket = -1, window = -1;
        const char* end = argv[2] + std::strlen(argv[2]);
        const char* comma = std::from_chars(argv[2], end, socket).ptr;
        if (comma != end) std::from_chars(comma + 1, end, window);
        return worker::serve(socket, window);
    }
    // For the columns that text takes. Whatever the locale, what is shown is UTF-8.
    if (!std::setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
    const ParsedCommandLine parsed = parse_command_line(argc, argv);
    return parsed.exit_code ? *parsed.exit_code : run(parsed.command);
}
