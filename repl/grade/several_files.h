// A submission of several files as one text: NVRTC gets one unit.
#pragma once

#include <map>
#include <string>

#include "runtime_wrappers/result.h"

namespace cudash::grade {

/// The .cu files of `files` (texts by their paths), in their order, with the headers among them in the place of their
/// first #include "...". The error: an #include "..." names a file that is not there.
Result<std::string> joined_sources(const std::map<std::string, std::string>& files);

}  // namespace cudash::grade
