// Symbols of the CUDA runtime that have no row: those of its graphics interoperability headers.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/error_names.h"
#include "runtime_wrappers/api/report.h"
#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/cuda/cudart.h"

namespace cudash::api {
namespace {

constexpr std::size_t most_stubs = 64;
std::array<std::string, most_stubs> stub_names;

cudaError_t refuse(const std::string& name) {
    thread_state().last_error = cudaErrorNotSupported;
    const Explanation explanation = lacking(name);
    const Active* runtime = active();
    if (runtime && (runtime->report_errors || explanation.lacking) && runtime->events.diagnostic)
        runtime->events.diagnostic(error(diagnostic_code(cudaErrorNotSupported), explanation.cause));
    return cudaErrorNotSupported;
}

template <std::size_t Index>
cudaError_t stub() {
    return refuse(stub_names[Index]);
}

template <std::size_t... Index>
constexpr auto make_stubs(std::index_sequence<Index...>) {
    return std::array<cudaError_t (*)(), sizeof...(Index)>{&stub<Index>...};
}
constexpr auto stubs = make_stubs(std::make_index_sequence<most_stubs>());

bool looks_like_runtime(std::string_view name) {
    for (std::string_view prefix : {"__cuda", "cuda"})
        if (name.starts_with(prefix))
            return name.size() > prefix.size() && std::isupper(static_cast<unsigned char>(name[prefix.size()]));
    return false;
}

}  // namespace

const void* find_symbol(std::string_view name) {
    const auto known = entry_points();
    const auto row = std::ranges::find(known, name, &Symbol::name);
    if (row != known.end()) return row->address;
    if (!looks_like_runtime(name)) return nullptr;
    const std::string text(name);
    const Active* runtime = active();
    if (runtime && !runtime->backend->is_virtual()) return cuda::cudart_symbol(text.c_str());
    // With a toolkit at hand its library says whether there is such a function at all.
    if (cuda::cudart_missing().empty() && !cuda::cudart_symbol(text.c_str())) return nullptr;
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < most_stubs; ++i) {
        if (stub_names[i].empty()) stub_names[i] = text;
        if (stub_names[i] == text) return reinterpret_cast<const void*>(stubs[i]);
    }
    return nullptr;
}

}  // namespace cudash::api
