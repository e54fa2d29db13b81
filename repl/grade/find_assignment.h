// Which assignment a name means.
#pragma once

#include <string>

#include "repl/grade/assignment.h"
#include "runtime_wrappers/result.h"

namespace cudash::grade {

/// The folder of an assignment: a path, or the name of one that comes with the program, in `lessons`/assignments. The
/// error says which there are.
Result<std::string> find_assignment(const std::string& lessons, const std::string& name);

/// In the place of one that was not found: its name, for the result that says so.
Assignment unknown_assignment(const std::string& name);

}  // namespace cudash::grade
