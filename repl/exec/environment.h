// What the front end tells the library that it has loaded into a program.
#pragma once

namespace cudash::exec {

/// "SOCKET,WINDOW": descriptors.
inline constexpr const char* descriptors_variable = "CUDASH_EXEC";
/// What the program tells those that it starts: its own file, the device and the checkers. Where such a one has the
/// same file, it is another process of the same program, and has a virtual GPU of its own.
inline constexpr const char* file_variable = "CUDASH_EXEC_FILE";
inline constexpr const char* device_variable = "CUDASH_EXEC_DEVICE";
inline constexpr const char* check_variable = "CUDASH_EXEC_CHECK";

}  // namespace cudash::exec
