// A file that is there as a whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace cudash::shell {

/// Writes beside `path` and renames. On failure `path` is as it was, and the text says why; empty: it is written. What
/// is not a plain file (a device, a pipe) is written to as it is.
std::string write_file(const std::string& path, std::string_view text);

}  // namespace cudash::shell
