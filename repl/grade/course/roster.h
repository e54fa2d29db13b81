// The students of a course, of a CSV file of the university's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/result.h"

namespace cudash::grade {

struct Student {
    std::string id, name, email, section, canvas_id;
    double extension_hours = 0;
    unsigned line = 0;  ///< in the file
};

/// Columns by their names, in any order and any case: id; name, email, section, canvas_id, extension_hours may be
/// there, and any others. What is wrong goes to `problems`.
std::vector<Student> parse_roster(std::string_view text, const std::string& path, std::vector<Diagnostic>& problems);

}  // namespace cudash::grade
