// Findings of a run in the form that editors and code hosts read: SARIF 2.1.0 (OASIS).
#pragma once

#include <string>
#include <vector>

#include "repl/view/diagnostic_printer.h"

namespace cudash::view {

/// One run of cudash. `lines`: for columns, which SARIF counts in UTF-16 units. What was found several times is one
/// result with a count. `code`: of the program's end. `version`: of cudash.
std::string sarif_of(const std::vector<Diagnostic>& findings, const SourceLines& lines, int code,
                     std::string_view version);

}  // namespace cudash::view
