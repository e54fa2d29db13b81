// The command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repl/grade/grade_command.h"
#include "repl/notebook/kernelspec.h"
#include "repl/notebook/serve_command.h"
#include "repl/worker/client.h"
#include "runtime_wrappers/diagnostic.h"

namespace cudash {

struct CommandLine {
    enum class Action {
        shell,
        cells,
        run,
        exec,
        debug,
        transcript,
        doctor,
        explain,
        grade,
        lesson,
        kernel,
        serve,
        editor
    };
    Action action = Action::shell;
    worker::Settings worker;
    std::vector<std::string> code;       ///< -e
    std::vector<std::string> files;      ///< of run and transcript
    std::vector<std::string> arguments;  ///< of the program: after --, of exec after its name
    /// How `run` runs a program: `chosen`: it is interpreted, and where that can't be, built by nvcc.
    enum class Via { chosen, interpreter, nvcc };
    Via via = Via::chosen;
    std::string sarif;                ///< run --sarif; empty: none
    std::string compile_commands;     ///< --compile-commands: the folder
    bool verbose = false;             ///< run --verbose: says when nvcc builds the program, and why
    std::vector<std::string> breaks;  ///< debug --break
    bool finding = false;             ///< debug --finding
    bool debug = false;               ///< exec --debug, with the two above
    bool dap = false;                 ///< debug --dap
    std::string topic;                ///< of explain; empty: all
    std::vector<std::string> lesson;  ///< the words after `lesson`
    bool check_lesson = false;        ///< lesson --check
    std::string lesson_transcript;    ///< lesson --transcript; empty: none
    std::string lesson_progress;      ///< lesson --progress; empty: none
    bool puzzles = false;             ///< the words are those after `puzzle`
    grade::GradeCommand grade;        ///< but its worker
    notebook::ServeCommand serve;     ///< but its kernel's device
    std::vector<std::string> kernel;  ///< the words after `kernel`
    notebook::Kernelspec kernelspec;  ///< but its device
    bool device_given = false;
    std::vector<std::string_view> given;  ///< settings that have an option of their own, and were given so
    std::vector<std::string> set;         ///< --set, NAME=VALUE
    bool keep_going = false;
    bool plain = false;
    /// For machines: findings on stderr, or all that happens on stdout. `standard`: events of cells, findings of
    /// programs.
    enum class Json { none, standard, findings, events };
    Json json = Json::none;
    bool times = false;  ///< ends of cells, and grades, say how long they took
    bool rewrite = false;
};

/// Reads the command line. An int is an exit code: help or the version was printed, or a mistake was explained.
struct ParsedCommandLine {
    CommandLine command;
    std::optional<int> exit_code;
};
ParsedCommandLine parse_command_line(int argc, char** argv);

/// "0.1.0".
std::string_view version();

/// Session options (--device, -I, -D, -std, --timeout) from elsewhere, on top of `settings`.
std::optional<Diagnostic> parse_session_options(const std::vector<std::string>& arguments, worker::Settings& settings);

}  // namespace cudash
