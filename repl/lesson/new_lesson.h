#pragma once

#include <string>

#include "repl/view/display.h"

namespace cudash::lesson {

/// Makes a lesson's folder at `path` that is complete as it is: to be rewritten. Returns the exit code.
int new_lesson(const std::string& path, const view::Display& display);

}  // namespace cudash::lesson
