// Where the lessons are, and which one a name means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/result.h"

namespace cudash::lesson {

/// $CUDASH_LESSONS, or share/lessons beside the program.
std::string lessons_folder();

/// The folder of puzzles in a folder of lessons.
std::string puzzles_in(const std::string& lessons);

/// The folders in `folder` that hold a lesson.md, by name; their paths.
std::vector<std::string> lessons_in(const std::string& folder);

/// The names of all lessons.
std::vector<std::string> lesson_names();

/// The lesson that a student means: its number ("4", "04"), its name, the beginning of its name with or without the
/// number, or the path of its folder. A folder of that name in the current one goes before a name's beginning.
/// `what`: "lesson" or "puzzle", for messages.
Result<std::string> find_lesson(const std::string& folder, std::string_view name, std::string_view what = "lesson");

/// What a person types after `lesson` for the lesson at `path`: its name, or the path of one that is elsewhere.
std::string typed_name(const std::string& path);

}  // namespace cudash::lesson
