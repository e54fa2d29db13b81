#include "repl/session/openmp.h"

#include <dlfcn.h>

#include <string>

#include "repl/session/clang/host_engine.h"

namespace cudash::session {

const void* openmp_function(std::string_view name) {
    const bool internal = name.starts_with("__kmpc_");
    if (!internal && !name.starts_with("omp_")) return nullptr;
    if (void* library = openmp_library()) return dlsym(library, std::string(name).c_str());
    if (internal) return nullptr;
    static void* const library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, std::string(name).c_str()) : nullptr;
}

}  // namespace cudash::session
