// The function behind <cudash/display.h>, for interpreted code.
#pragma once

#include <functional>
#include <string_view>

#include "repl/session/memory/query.h"

namespace cudash::session {

/// Gets an array with its address, elements and extent, and the frame of the call; nullptr: nobody shows any. One
/// session lives in a process.
using ShowArray = std::function<void(Displayed, const void* frame)>;
void serve_display(ShowArray show);
/// nullptr if the name is none of theirs.
const void* display_function(std::string_view name);

}  // namespace cudash::session
