// The name of an architecture as compilers take it.
#pragma once

#include <string>
#include <string_view>

namespace cudash::nvrtc {

/// "90", or "90a" for a text with what only that architecture has: instructions of warpgroups, or a question for them.
std::string architecture_for(unsigned arch, std::string_view text);

}  // namespace cudash::nvrtc
