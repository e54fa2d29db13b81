// What a student has done in all lessons and puzzles, for an instructor's spreadsheet.
#pragma once

#include <string>

#include "repl/lesson/lesson.h"
#include "repl/lesson/progress.h"

namespace cudash::lesson {

struct Tally {
    std::size_t questions = 0, answered = 0, exercises = 0, solved = 0;
};
Tally tally(const Lesson& lesson, const Progress& progress);

/// "done", or "read, 1 of 2 exercises": what was skipped stays open.
std::string read_to_the_end(const Lesson& lesson, const Progress& progress);

/// Comma-separated values, a row for each question, exercise and puzzle, those not begun too. `lessons`: the folder.
std::string progress_table(const std::string& lessons, const std::string& student);

}  // namespace cudash::lesson
