// A file that is there as a whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace cudash::shell {

/// Writes beside `path` and renames. On failure `path` is as it was, and the text says why; empty: it is written. What
/// is not a plain file (a device, a pipe) is written to as it is.
std::string write_file(const std::string& path, std::string_view text);

/// Removes what writers that were killed have left in `folder`. For a caller who knows that nobody is writing there.
void remove_unfinished_files(const std::string& folder);

}  // namespace cudash::shell
