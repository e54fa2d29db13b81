// Input that no C++ compiler takes is named before it reaches the worker.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/result.h"

namespace cudash::shell {

/// The first NUL byte or invalid UTF-8 sequence of `text`, by line and column (in bytes, from 1).
std::optional<Diagnostic> check_text(std::string_view name, std::string_view text);

/// A file's contents. The error tells a missing file from a folder from one that may not be read.
Result<std::string> read_file(const std::string& path);

}  // namespace cudash::shell
