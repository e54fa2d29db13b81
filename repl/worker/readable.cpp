#include "repl/worker/readable.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "runtime_wrappers/nvrtc/compiler.h"

namespace cudash::worker {
namespace {

namespace fs = std::filesystem;

void add_library_path(std::vector<std::string>& readable) {
    const char* variable = std::getenv("LD_LIBRARY_PATH");
    std::string_view rest(variable ? variable : "");
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
        if (folder.starts_with('/') && folder.size() > 1) readable.emplace_back(folder);
    }
}

}  // namespace

std::vector<std::string> readable_paths(const std::string& program, const std::string& header_cache) {
    std::error_code ignored;
    std::vector<std::string> readable;
    for (const char* path :
         {"/usr/lib", "/usr/lib64", "/usr/include", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives",
          "/etc/localtime", "/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/sys/devices/system/cpu", "/dev/urandom",
          "/usr/local/lib", "/usr/local/cuda", "/usr/share/zoneinfo"})
        readable.emplace_back(path);
    add_library_path(readable);
    readable.push_back(program);
    const fs::path beside_it = fs::path(program).parent_path();
    for (const char* beside : {"share/shim", "share/include", "lib"}) readable.push_back((beside_it / beside).string());
    // Where programs in a folder of their own have it, as an installed one does.
    readable.push_back((beside_it.parent_path() / "lib" / "libcudash_virtual_gpu.so").string());
    const fs::path toolkit = nvrtc::toolkit_include();
    if (!toolkit.empty()) {
        const fs::path real = fs::canonical(toolkit, ignored);
        readable.push_back(real.string());
        for (const fs::path& include : {toolkit, real})
            for (const char* libraries : {"lib64", "lib", "nvvm", "targets"})
                readable.push_back((include.parent_path() / libraries).string());
    }
    const char* headers = std::getenv("CUDASH_CLANG_RESOURCE_DIR");
    readable.emplace_back(headers && *headers ? headers : CUDASH_CLANG_RESOURCE_DIR);
    // Precompiled headers alone: beside them lie solutions, and what NVRTC made of other people's kernels.
    for (const fs::path& folder : {beside_it / "share", fs::path(header_cache)})
        for (const auto& each : fs::directory_iterator(folder, ignored))
            if (const fs::path kind = each.path().extension(); kind == ".pch" || kind == ".h" || kind == ".inputs")
                readable.push_back(each.path().string());
    return readable;
}

}  // namespace cudash::worker
