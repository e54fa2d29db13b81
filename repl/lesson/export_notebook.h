// A lesson as a Jupyter notebook.
#pragma once

#include <string>

#include "repl/lesson/lesson.h"

namespace cudash::lesson {

/// nbformat 4.5, for the kernel `cudash`: texts as Markdown, demonstrations as code, and for each question and exercise
/// a cell that checks it (notebook_lesson.h). Answers and solutions are not in it.
std::string notebook_of(const Lesson& lesson);

}  // namespace cudash::lesson
