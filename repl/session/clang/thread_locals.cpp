#include "repl/session/clang/thread_locals.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

extern "C" void* __emutls_get_address(void* control);

namespace cudash::session {
namespace {

/// Control objects lie together, so that one comparison tells them from those of cells.
struct Controls {
    std::array<std::string, 256> names;
    std::atomic<std::size_t> used{0};
    std::mutex mutex;
};
Controls& controls() {
    static Controls all;
    return all;
}

std::vector<std::pair<void (*)(void*), void*>>& of_main_thread() {
    static std::vector<std::pair<void (*)(void*), void*>> all;
    return all;
}

}  // namespace

int at_thread_exit(void (*destroy)(void*), void* object, void* library) {
    if (gettid() != getpid()) return abi::__cxa_thread_atexit(destroy, object, library);
    of_main_thread().emplace_back(destroy, object);
    return 0;
}

void destroy_thread_locals() {
    auto& all = of_main_thread();
    while (!all.empty()) {
        const auto [destroy, object] = all.back();
        all.pop_back();
        destroy(object);
    }
}

void* thread_local_address(void* control) {
    const auto& names = controls().names;
    const auto* name = static_cast<const std::string*>(control);
    if (std::less<>()(name, names.data()) || !std::less<>()(name, names.data() + names.size()))
        return __emutls_get_address(control);
    // The calling thread's copy.
    return dlsym(RTLD_DEFAULT, name->c_str());
}

const void* library_thread_local(std::string_view symbol) {
    constexpr std::string_view prefix = "__emutls_v.";
    if (!symbol.starts_with(prefix)) return nullptr;
    const std::string name(symbol.substr(prefix.size()));
    if (!dlsym(RTLD_DEFAULT, name.c_str())) return nullptr;
    Controls& all = controls();
    const std::lock_guard lock(all.mutex);
    for (std::size_t i = 0; i < all.used; ++i)
        if (all.names[i] == name) return &all.names[i];
    if (all.used == all.names.size()) return nullptr;
    all.names[all.used] = name;
    return &all.names[all.used++];
}

}  // namespace cudash::session
