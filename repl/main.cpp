// cudash: the front end's entry, and the worker's.
#include <unistd.h>

#include <charconv>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <iterator>

#include "repl/cli.h"
#include "repl/doctor.h"
#include "repl/explain.h"
#include "repl/grade/grade_command.h"
#include "repl/lesson/lesson_command.h"
#include "repl/lesson/transcript_runner.h"
#include "repl/shell/batch.h"
#include "repl/shell/shell.h"
#include "repl/view/display.h"
#include "repl/worker/server.h"

namespace {

using namespace cudash;

std::string read_stdin() {
    return {std::istreambuf_iterator<char>(std::cin), {}};
}

/// The exit code of what has run, once its profile is shown or written.
int with_profile(shell::Notebook& notebook, int code) {
    return notebook.say_profile() || code != 0 ? code : shell::exit_can_not_write;
}

int run(const CommandLine& command) {
    const view::Display display = view::standard_display(command.plain, command.json);
    worker::Settings settings = command.worker;
    switch (command.action) {
        case CommandLine::Action::doctor:
            return doctor(settings, display);
        case CommandLine::Action::explain:
            return explain(command.topic, display);
        case CommandLine::Action::transcript:
            return lesson::run_transcripts(command.files, {settings, command.device_given, command.rewrite}, display);
        case CommandLine::Action::lesson:
            return lesson::run_lesson_command({command.lesson, settings, command.device_given, command.check_lesson,
                                               command.lesson_transcript, command.plain},
                                              display);
        case CommandLine::Action::grade: {
            grade::GradeCommand grading = command.grade;
            grading.worker = settings;
            return grade::run_grade_command(grading, display);
        }
        case CommandLine::Action::run: {
            settings.options.report_api_errors = false;
            settings.options.restore_after_sticky = false;
            shell::Notebook notebook(settings, display);
            return with_profile(notebook, shell::run_program(notebook, command.files, command.arguments));
        }
        case CommandLine::Action::cells: {
            shell::Notebook notebook(settings, display);
            return with_profile(notebook, shell::run_cells(notebook, command.code, command.keep_going));
        }
        case CommandLine::Action::shell: {
            shell::Notebook notebook(settings, display);
            if (isatty(STDIN_FILENO) == 1) {
                const int code = shell::run_shell(notebook);
                return settings.report.empty() ? code : with_profile(notebook, code);
            }
            // All of it first: where a cell ends can depend on the line after it.
            notebook.client().start();
            return with_profile(notebook, shell::run_cells(notebook, {read_stdin()}, command.keep_going));
        }
    }
    return shell::exit_usage;
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
