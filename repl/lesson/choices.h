// Each student sees the choices of a question in an order of their own, the same every time.
#pragma once

#include <string>
#include <string_view>

#include "repl/lesson/lesson.h"

namespace cudash::lesson {

/// $CUDASH_STUDENT, or the login name. Empty: choices stay as the lesson has them.
std::string student_name();

/// Reorders the choices of all questions, with the number of the right one and of the foreseen wrong ones.
void shuffle_choices(Lesson& lesson, std::string_view student);

}  // namespace cudash::lesson
