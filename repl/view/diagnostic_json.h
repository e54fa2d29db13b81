// A diagnostic for machines: one line of JSON. repl/README.md, "Findings as JSON", describes its members.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::view {

/// Ends with a line end.
std::string print_json(const Diagnostic& diagnostic);
/// [x, y, z]
nlohmann::ordered_json json_of(const Dim3& size);

}  // namespace cudash::view
