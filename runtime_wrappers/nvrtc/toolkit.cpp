#include "runtime_wrappers/nvrtc/toolkit.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

namespace cudash::nvrtc {

namespace fs = std::filesystem;

std::vector<fs::path> toolkit_roots() {
    std::vector<fs::path> roots;
    auto consider = [&](const char* folder) {
        if (!folder || !*folder) return;
        std::error_code failed;
        if (fs::is_directory(folder, failed) && std::ranges::find(roots, fs::path(folder)) == roots.end())
            roots.emplace_back(folder);
    };
    consider(std::getenv("CUDA_PATH"));
    consider(std::getenv("CUDA_HOME"));
    consider("/usr/local/cuda");
    return roots;
}

std::vector<fs::path> toolkit_library_paths(const std::string& file_name) {
    std::vector<fs::path> paths;
    for (const fs::path& root : toolkit_roots())
        for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
            paths.push_back(root / folder / file_name);
    return paths;
}

void* open_toolkit_library(const std::string& file_name, std::string* tried) {
    auto open = [&](const fs::path& path) {
        if (tried) *tried += (tried->empty() ? "" : ", ") + path.string();
        // RTLD_LOCAL: its symbols must not stand in for the entry points of ours that have the same names.
        return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    };
    for (const fs::path& path : toolkit_library_paths(file_name)) {
        std::error_code failed;
        if (!fs::exists(path, failed)) continue;
        if (void* handle = open(path)) return handle;
    }
    return open(file_name);
}

}  // namespace cudash::nvrtc
