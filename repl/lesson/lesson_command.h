// `cudash lesson`: list, walk, check, make and verify lessons.
#pragma once

#include <string>
#include <vector>

#include "repl/view/display.h"
#include "repl/worker/client.h"

namespace cudash::lesson {

struct LessonCommand {
    std::vector<std::string> words;  ///< "", NAME, "new NAME", "verify [NAME...]", "review", "glossary [TERM]", "export NAME FILE"
    bool puzzles = false;            ///< `cudash puzzle`: the puzzles instead of the lessons
    worker::Settings worker;
    bool device_given = false;
    bool batch = false;           ///< --check
    std::string transcript_file;  ///< --transcript
    std::string progress_file;    ///< --progress
    bool plain = false;
    bool in_shell = false;  ///< :lesson was typed
};

/// Returns the exit code.
int run_lesson_command(const LessonCommand& command, const view::Display& display);

}  // namespace cudash::lesson
