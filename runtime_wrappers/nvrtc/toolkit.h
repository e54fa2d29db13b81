// Where the CUDA toolkit is, and its shared libraries opened at run time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cudash::nvrtc {

/// CUDA_PATH, CUDA_HOME and /usr/local/cuda, as far as they exist.
std::vector<std::filesystem::path> toolkit_roots();

/// Where a library of the toolkit may be, by its file name.
std::vector<std::filesystem::path> toolkit_library_paths(const std::string& file_name);

/// Opens a library of the toolkit by its file name, the toolkit's folders first, then the loader's path. Kept open.
/// nullptr if there is none; `tried` then lists what was looked at.
void* open_toolkit_library(const std::string& file_name, std::string* tried = nullptr);

}  // namespace cudash::nvrtc
