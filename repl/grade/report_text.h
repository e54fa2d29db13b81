// A report as text for a person.
#pragma once

#include <string>

#include "repl/grade/check_runner.h"
#include "repl/view/style.h"

namespace cudash::grade {

/// Every check with its verdict, and what is known of those that failed; each line with its line end.
std::string print(const Report& report, const Submission& submission, const view::Style& style);

}  // namespace cudash::grade
