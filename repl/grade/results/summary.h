// A class's marks at a glance.
#pragma once

#include <string>
#include <vector>

#include "repl/grade/grade.h"

namespace cudash::grade {

/// One line a submission: name, points, most points, then the points of each test. RFC 4180.
std::string as_csv(const std::vector<std::string>& names, const std::vector<Grade>& grades);
/// The same as a page that needs nothing beside it.
std::string as_html(const std::vector<std::string>& names, const std::vector<Grade>& grades);

}  // namespace cudash::grade
