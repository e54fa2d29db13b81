// marks.toml beside a class's records: what people have marked, and what they have changed, with reasons. The grader
// reads it and never writes it.
//
//     [[mark]]
//     submission = "anna.cu"
//     part = "style"                 # a [[rubric]] of the assignment
//     points = 3
//     comment = "Clear names."
//     by = "Marie Curie"
//
//     [[override]]
//     submission = "bert.cu"
//     test = "1000 numbers are scaled"   # without it: the points of all
//     points = 2
//     reason = "The sheet had a wrong length."
//     by = "Marie Curie"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/grade/checks.h"
#include "repl/grade/grade.h"

namespace cudash::grade {

struct HumanMark {
    std::string submission, part, comment, by;
    double points = 0;
};
struct Override {
    std::string submission, test, reason, by;
    double points = 0;
};

struct HumanMarks {
    std::vector<HumanMark> marks;
    std::vector<Override> overrides;

    /// The grade of an entry with the rubric's parts and with what was changed.
    Grade apply(const Grade& grade, std::string_view entry, const std::vector<Rubric>& rubric) const;
};

/// `entries`: all names of submissions. What is wrong goes to `problems`: an unknown name is one.
HumanMarks parse_human_marks(const std::string& path, std::string_view text, const Checks& checks,
                             const std::vector<std::string>& entries, std::vector<Diagnostic>& problems);

}  // namespace cudash::grade
