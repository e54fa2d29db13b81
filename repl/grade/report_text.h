// A report as text for a person.
#pragma once

#include <string>

#include "repl/grade/check_runner.h"
#include "repl/view/style.h"

namespace cudash::grade {

/// Every check with its verdict, and what is known of those that failed; each line with its line end. Findings are
/// wrapped to `width` columns (0: not at all), and each is told once.
std::string print(const Report& report, const Submission& submission, const view::Style& style, unsigned width = 0);

}  // namespace cudash::grade
