// A whole class: many submissions, several at a time, resumed where it was stopped; or one shard of it, or the merger
// of what the shards have written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repl/grade/assignment.h"
#include "repl/grade/class_folder.h"
#include "repl/grade/course/course.h"
#include "repl/grade/results/formats.h"
#include "repl/grade/shard.h"
#include "repl/grade/submissions.h"
#include "repl/view/display.h"

namespace cudash::grade {

struct ClassRun {
    ClassFolder folder;  ///< of the results
    ClassOwner owner;    ///< what they are of
    const Format* format = nullptr;
    unsigned jobs = 1;
    std::optional<Shard> shard;  ///< only these submissions, and no summary
    bool merges = false;         ///< nothing is graded: what the shards have written becomes one result
    std::optional<Course> course{};
};

/// What a class's results are of, when `grader` makes them now.
ClassOwner owner_of(const Grader& grader, const std::string& submissions);

/// Of a submission in a class: nobody gets what another was given.
std::string fingerprint_of(const Grader& grader, const Entry& entry, const std::string& text);

/// Writes a result for each submission, summary.csv and summary.html. Results that are there and still hold are kept.
/// A folder that has the results of another assignment, or of another class, is left as it is. Returns the exit code.
int grade_class(const Grader& grader, const std::vector<Entry>& entries, const ClassRun& run,
                const view::Display& display);

}  // namespace cudash::grade
