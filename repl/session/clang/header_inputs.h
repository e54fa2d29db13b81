// The files that a precompiled header was made of. clang looks at those of the system only when it reads them, in the
// middle of a cell: an update of the system's packages would break sessions until the header is made again.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace cudash::session {

/// Writes the files' times and sizes to a file beside `header`.
void note_inputs(const std::filesystem::path& header, std::span<const std::string> files);
/// Whether `header` is there, and what it was made of has not changed.
bool is_current(const std::filesystem::path& header);

}  // namespace cudash::session
