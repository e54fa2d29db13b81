#include "runtime_wrappers/libraries/curand/host_library.h"

#include <dlfcn.h>

#include <filesystem>

#include "runtime_wrappers/nvrtc/toolkit.h"

namespace cudash::libraries::curand {
namespace {

constexpr const char* file_name = "libcurand.so.10";

/// By its path: the name alone may be that of the library of ours that a program is linked with.
void* open() {
    for (const std::filesystem::path& root : nvrtc::toolkit_roots())
        for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
            const std::filesystem::path path = root / folder / file_name;
            std::error_code failed;
            if (!std::filesystem::exists(path, failed)) continue;
            // RTLD_DEEPBIND: it calls its own functions, and not those of ours that have the same names.
            if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)) return handle;
        }
    return nullptr;
}

HostLibrary load() {
    HostLibrary library;
    void* const handle = open();
    if (!handle) {
        library.missing = std::string("the toolkit has no ") + file_name;
        return library;
    }
#define CUDASH_FIND(name)                                                                   \
    library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, "curand" #name)); \
    if (!library.name) library.missing = std::string(file_name) + " has no function curand" #name;
    CUDASH_EACH_OF_HOST_LIBRARY(CUDASH_FIND)
#undef CUDASH_FIND
    return library;
}

}  // namespace

const HostLibrary& host_library() {
    static const HostLibrary loaded = load();
    return loaded;
}

}  // namespace cudash::libraries::curand
