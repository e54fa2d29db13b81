// The one place where a diagnostic becomes text.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "repl/view/style.h"
#include "runtime_wrappers/diagnostic.h"

namespace cudash::view {

/// The text of a line (from 1) of a file or cell, if it is known.
using SourceLines = std::function<std::optional<std::string>(std::string_view file, unsigned line)>;

/// The diagnostic as lines, each with its line end. One of the source:
///
///     cell 3:2:7: error: use of undeclared identifier 'y'
///         x + y;
///             ^
///
/// one of a running kernel:
///
///     error[oob-write]: 4-byte write, 0 bytes past a 4-byte allocation
///       thread (1,0,0) block (0,0,0) in k, cell 1 line 1
///       allocated here, cell 2 line 1
///       hint: ...
///
/// Its words are wrapped to `width` columns (0: not at all); lines of source are not.
std::string print(const Diagnostic& diagnostic, const SourceLines& lines, const Style& style, unsigned width = 0);

}  // namespace cudash::view
