// The commands of `cudash grade` about a class and its course. Each takes its operands from `command.words` behind the
// verb, and returns the exit code.
#pragma once

#include "repl/grade/grade_command.h"

namespace cudash::grade {

int run_merge(const GradeCommand& command, const view::Display& display);
int run_status(const GradeCommand& command, const view::Display& display);
int run_cancel(const GradeCommand& command, const view::Display& display);
/// Grades again with what has changed, and shows whose marks change.
int run_again(const GradeCommand& command, const view::Display& display);
/// The lecturer's report.
int run_report(const GradeCommand& command, const view::Display& display);
/// Makes a course's key.
int run_key(const GradeCommand& command, const view::Display& display);
/// One student's task sheet, or those of a whole roster.
int run_sheet(const GradeCommand& command, const view::Display& display);
/// Pairs of submissions that share structure.
int run_similar(const GradeCommand& command, const view::Display& display);

}  // namespace cudash::grade
