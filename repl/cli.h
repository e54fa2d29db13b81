// The command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repl/grade/grade_command.h"
#include "repl/worker/client.h"
#include "runtime_wrappers/diagnostic.h"

namespace cudash {

struct CommandLine {
    enum class Action { shell, cells, run, transcript, doctor, explain, grade, lesson };
    Action action = Action::shell;
    worker::Settings worker;
    std::vector<std::string> code;       ///< -e
    std::vector<std::string> files;      ///< of run and transcript
    std::vector<std::string> arguments;  ///< after --
    std::string topic;                   ///< of explain; empty: all
    std::vector<std::string> lesson;     ///< the words after `lesson`
    bool check_lesson = false;           ///< lesson --check
    std::string lesson_transcript;       ///< lesson --transcript; empty: none
    grade::GradeCommand grade;           ///< but its worker
    bool device_given = false;
    bool keep_going = false;
    bool plain = false;
    bool json = false;  ///< findings for machines
    bool rewrite = false;
};

/// Reads the command line. An int is an exit code: help or the version was printed, or a mistake was explained.
struct ParsedCommandLine {
    CommandLine command;
    std::optional<int> exit_code;
};
ParsedCommandLine parse_command_line(int argc, char** argv);

/// Session options (--device, -I, -D, -std, --timeout) from elsewhere, on top of `settings`.
std::optional<Diagnostic> parse_session_options(const std::vector<std::string>& arguments, worker::Settings& settings);

}  // namespace cudash
