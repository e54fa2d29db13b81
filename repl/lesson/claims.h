// claims.md beside the lessons: which lesson shows which claim of the documents.
#pragma once

#include <vector>

#include "repl/lesson/lesson.h"

namespace cudash::lesson {

/// Where the table and the lesson disagree: a claim that only one of them names for this lesson, a question or an
/// exercise that the lesson does not have; and, told with the first lesson of the folder, lessons that there are not.
/// Nothing, if there is no claims.md.
std::vector<Diagnostic> compare_claims(const Lesson& lesson);

}  // namespace cudash::lesson
