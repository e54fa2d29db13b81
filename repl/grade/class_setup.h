// What a class's commands need before they can begin: its assignment, its submissions, and how results are written.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "repl/grade/class_run.h"
#include "repl/grade/grade_command.h"

namespace cudash::grade {

struct ClassSetup {
    std::unique_ptr<Grader> grader;
    std::vector<Entry> entries;
    ClassRun run;
};

/// Of the class whose results are in `folder`. The error says what is missing.
Result<ClassSetup> reopen_class(const std::string& folder, const worker::Settings& worker);

Files files_of(const Assignment& assignment);

/// Reads the course's files (paths; empty: none) for a class and its grader. The error is the first thing that is
/// wrong.
std::optional<Diagnostic> use_course(ClassRun& run, Grader& grader, const std::string& key, const std::string& course);

/// How far a class is: for each submission, whether its record is there, and has a mark.
struct ClassProgress {
    std::vector<char> is_done, has_mark;
    std::size_t done = 0, without_mark = 0;
};
ClassProgress progress_of(const Grader& grader, const std::vector<Entry>& entries, const ClassRun& run);

}  // namespace cudash::grade
