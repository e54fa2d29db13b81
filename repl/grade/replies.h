// Foreseen mistakes: which reply of the checks fits a report.
#pragma once

#include <string>
#include <string_view>

#include "repl/grade/check_runner.h"

namespace cudash::grade {

/// The first that fits; where that is about a failed check, the one about the earliest. nullptr: none fits.
const Reply* fitting_reply(const Checks& checks, const Report& report, std::string_view source);

/// `source` without comments; what stands in quotation marks stays.
std::string without_comments(std::string_view source);

}  // namespace cudash::grade
