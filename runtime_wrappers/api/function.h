// The functions of the CUDA runtime as values: one enumerator and one row of facts each, from cuda_api.def.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cudash::api {

/// Whether the virtual GPU has the function, and when it answers. The columns of cuda_api.def.
enum class Support : std::uint8_t { VIRTUAL, LATE, ALWAYS, ANYWHERE, NONE, PURE };

/// Which variant for the per-thread default stream exists beside the function (cuda_runtime_api.h, "CUDA API
/// versioning").
enum class Versions : std::uint8_t { ONE, PTDS, PTSZ };

enum class Function : std::uint16_t {
#define CUDA_API(topic, support, real, versions, result, name, parameters, arguments) name,
#include "runtime_wrappers/api/cuda_api.def"
#undef CUDA_API
};

struct FunctionInfo {
    std::string_view name;
    std::string_view topic;
    Support support;
    Versions versions;
    /// "(KERNEL(func), gridDim, ...)": what the row says of the arguments.
    std::string_view arguments;
};

/// All functions, in the order of the table; the index is the enumerator.
std::span<const FunctionInfo> functions();
inline const FunctionInfo& info(Function function) {
    return functions()[static_cast<std::size_t>(function)];
}

}  // namespace cudash::api
