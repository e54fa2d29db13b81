#include "repl/session/openmp.h"

#include <dlfcn.h>

#include <string>

#include "repl/session/clang/host_engine.h"

namespace cudash::session {
namespace {

/// clang 19 calls it after each loop with schedule(dynamic). Up to LLVM 17 no libomp has it; those since then do
/// nothing there, either.
void end_dispatch(void*, int) {}

}  // namespace

const void* openmp_function(std::string_view name) {
    const bool internal = name.starts_with("__kmpc_");
    if (!internal && !name.starts_with("omp_")) return nullptr;
    if (void* library = openmp_library()) {
        const void* function = dlsym(library, std::string(name).c_str());
        const bool is_end = !function && name == "__kmpc_dispatch_deinit";
        return is_end ? reinterpret_cast<const void*>(&end_dispatch) : function;
    }
    if (internal) return nullptr;
    static void* const library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, std::string(name).c_str()) : nullptr;
}

}  // namespace cudash::session
