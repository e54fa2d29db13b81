#include "runtime_wrappers/api/function.h"

#include <array>

namespace cudash::api {

std::span<const FunctionInfo> functions() {
    static constexpr std::array table = {
#define CUDA_API(topic, support, real, versions, result, name, parameters, arguments) \
    FunctionInfo{#name, #topic, Support::support, Versions::versions, #arguments},
#include "runtime_wrappers/api/cuda_api.def"
#undef CUDA_API
    };
    return table;
}

}  // namespace cudash::api
