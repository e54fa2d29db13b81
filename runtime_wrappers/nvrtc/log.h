// NVRTC's log, taken apart.
#pragma once

#include <string_view>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::nvrtc {

/// The first "file(line): error: text" becomes the diagnostic, with its place; every other message a note with its own.
Diagnostic parse_log(std::string_view log);

}  // namespace cudash::nvrtc
