// Libraries of cudash that a program needs late, or never. They lie beside the one that is inside of it.
#pragma once

#include <string>

namespace cudash::exec {

/// Its function, or nullptr; then dlerror() says why. The library stays loaded, and its names are nobody else's.
void* load_late(const std::string& library, const char* function);

/// Whether this thread loads one: what its constructors register for exit() is not to be destroyed.
bool is_loading_late();

}  // namespace cudash::exec
