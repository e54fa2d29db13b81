// NVRTC's log, taken apart.
#pragma once

#include <string_view>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::nvrtc {

/// Each message "file(line): error: text", with the lines that belong to it, becomes a note with its place. The
/// diagnostic's own message counts the errors; its place is that of the first error.
Diagnostic parse_log(std::string_view log);

}  // namespace cudash::nvrtc
