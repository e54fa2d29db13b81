// cudash grade: one submission, a class of them, or the proof that an assignment grades as its author says.
#pragma once

#include <string>
#include <vector>

#include "repl/view/display.h"
#include "repl/worker/client.h"

namespace cudash::grade {

struct GradeCommand {
    std::vector<std::string> words;  ///< ASSIGNMENT WHAT, or a verb and its operands: grade_command.cpp has a table
    std::string format = "text", output;
    unsigned jobs = 0;  ///< 0: one for each processor
    bool times = false;
    std::string shard;                        ///< "I/N": this part of the class alone
    std::string engine;                       ///< "slurm": the class is graded there
    unsigned shards = 0;                      ///< on a cluster; 0: as many as make sense
    std::vector<std::string> engine_options;  ///< for sbatch, as they are
    std::string key, student, course;         ///< of every student's own inputs, and of a course: files and an id
    bool accepts = false;                     ///< `grade again` changes the marks
    std::vector<std::string> without_layers;  ///< of the sandbox; with verify alone, to test the others
    worker::Settings worker;
    std::string lessons;  ///< the folder in which `assignments` are those that come with the program
};

/// Exit codes: 0: full marks, or a class was graded; 1: less; 66: no such input; 69: the grader could not do its work;
/// 73: the output can't be written.
int run_grade_command(const GradeCommand& command, const view::Display& display);

}  // namespace cudash::grade
