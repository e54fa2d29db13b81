// The picture of an exercise: what the student's kernel touches in memory, drawn from a run of it.
#pragma once

#include <string>

#include "repl/lesson/lesson.h"
#include "repl/worker/client.h"

namespace cudash::lesson {

struct Picture {
    std::string text;     ///< one drawing for each line that accesses memory
    std::string problem;  ///< why there is none
};

/// Runs `submission` in a session of its own, with the exercise's harness and its `picture`.
Picture picture_of(const Exercise& exercise, const std::string& submission, worker::Settings settings);

}  // namespace cudash::lesson
