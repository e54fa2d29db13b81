#pragma once

#include <string>

#include "repl/lesson/lesson.h"
#include "repl/lesson/progress.h"

namespace cudash::lesson {

/// What a student did in a lesson, as Markdown to read or hand in.
std::string transcript_of(const Lesson& lesson, const Progress& progress);

}  // namespace cudash::lesson
