#pragma once

#include <optional>
#include <string>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::shell {

/// Opens a file in the student's editor (the command `editor`, or $VISUAL, $EDITOR, or one that is there) and waits
/// until it ends. The error says why that failed; the file can be edited elsewhere all the same.
std::optional<Diagnostic> edit_file(const std::string& path, const std::string& editor = {});

}  // namespace cudash::shell
