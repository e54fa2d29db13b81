// What the cases cover of the instruction table, and the page that says so.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/hardware/recording.h"

namespace cudash::oracle {

/// How each of all_cases() went on the virtual GPU.
using Outcomes = std::vector<CaseOutcome>;

/// One line for each type or modifier that a row of the table allows and no executed case has.
std::vector<std::string> uncovered(const Outcomes& outcomes);

/// isa/COVERAGE.md. `verified`: names of the cases whose results are those of the recording.
std::string coverage_page(const Outcomes& outcomes, const Recording* recording, const std::set<std::string>& verified);

}  // namespace cudash::oracle
