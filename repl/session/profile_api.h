// The functions behind <cudash/profile.h>, for interpreted code.
#pragma once

#include <string_view>

#include "runtime_wrappers/api/runtime.h"

namespace cudash::session {

/// Whose launches they speak of; nullptr: nobody's. One session lives in a process.
void serve_profile(api::Runtime* runtime);
/// nullptr if the name is none of theirs.
const void* profile_function(std::string_view name);

}  // namespace cudash::session
