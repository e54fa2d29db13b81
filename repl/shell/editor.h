#pragma once

#include <optional>
#include <string>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/result.h"

namespace cudash::shell {

/// Whether one of the folders of PATH has it.
bool is_program(const std::string& name);

/// Opens a file in the student's editor (the command `editor`, or $VISUAL, $EDITOR, or one that is there) and waits
/// until it ends. The error says why that failed; the file can be edited elsewhere all the same.
std::optional<Diagnostic> edit_file(const std::string& path, const std::string& editor = {});

/// The text as it is after the student has edited it, in a file that is gone then.
Result<std::string> edit_text(const std::string& text, const std::string& editor = {});

}  // namespace cudash::shell
