// What the front end tells the library that it has loaded into a program.
#pragma once

namespace cudash::exec {

/// "SOCKET,WINDOW": descriptors.
inline constexpr const char* descriptors_variable = "CUDASH_EXEC";
/// What LD_PRELOAD was without cudash; not set where there was none.
inline constexpr const char* preload_variable = "CUDASH_EXEC_PRELOAD";

}  // namespace cudash::exec
