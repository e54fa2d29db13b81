// A text that is device code alone: NVRTC sees it, the host engine never does.
#pragma once

#include <string>
#include <string_view>

#include "repl/session/device/declaration.h"

namespace cudash::session {

struct DeviceText {
    std::string name;                ///< as diagnostics name it
    std::string text;                ///< what NVRTC gets: without `main`, and without headers that only host code has
    std::vector<std::string> words;  ///< identifiers in it: shared declarations of the session by these names are seen
};

/// `folders` are those in which device code finds headers, the toolkit's among them.
DeviceText device_text(const std::string& name, const std::string& text, const std::vector<std::string>& folders);

/// Where a function `main` is defined, to behind its closing bracket; empty if it is not.
TextRange find_main(std::string_view text);

}  // namespace cudash::session
