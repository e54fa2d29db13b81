// A whole class: many submissions, several at a time, resumed where it was stopped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repl/grade/assignment.h"
#include "repl/grade/results/formats.h"
#include "repl/grade/submissions.h"
#include "repl/view/display.h"

namespace cudash::grade {

struct ClassRun {
    std::string submissions;  ///< folder
    std::string output;       ///< folder
    const Format* format = nullptr;
    FormatOptions options;
    unsigned jobs = 1;
};

/// Writes a result for each submission, summary.csv and summary.html. Results that are there and still hold are kept.
/// A folder that has the results of another assignment, or of another class, is left as it is. Returns the exit code.
int grade_class(const Grader& grader, const std::vector<Entry>& entries, const ClassRun& run,
                const view::Display& display);

/// A grade and the fingerprint of what it was made of, as they are kept; nullopt: that is none.
std::string to_record(const Grade& grade, const std::string& fingerprint);
struct Record {
    Grade grade;
    std::string fingerprint;
};
std::optional<Record> from_record(const std::string& text);

}  // namespace cudash::grade
