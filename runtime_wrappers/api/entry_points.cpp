#include "runtime_wrappers/api/entry_points.h"

#include <utility>
#include <vector>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/call_counts.h"
#include "runtime_wrappers/api/dispatch.h"
#include "runtime_wrappers/api/error_names.h"
#include "runtime_wrappers/api/runtime.h"

// Some of the functions are deprecated; their users are told by their own compiler.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace cudash::api {
namespace pure {

/// The program is about to tell somebody of the error.
static void told(cudaError_t error) {
    if (const Active* runtime = active(); runtime && error != cudaSuccess) runtime->failed_calls.named(error);
}

const char* cudaGetErrorName(cudaError_t error) {
    told(error);
    return error_name(error);
}
const char* cudaGetErrorString(cudaError_t error) {
    told(error);
    return error_string(error);
}
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
    return {x, y, z, w, f};
}

}  // namespace pure

namespace entry {
namespace {

cudaStream_t per_thread(cudaStream_t stream) {
    return stream ? stream : cudaStreamPerThread;
}

}  // namespace

#define KERNEL(argument) \
    KernelArgument {     \
        argument         \
    }
#define SYMBOL(argument) \
    SymbolArgument {     \
        argument         \
    }
#define NODE(argument) node_argument(argument)

#define CUDASH_DISPATCH(name, arguments) dispatch<Function::name, &Backend::name>(CUDASH_STRIP arguments)
#define CUDASH_STRIP(...) __VA_ARGS__

#define CUDASH_ENTRY_VIRTUAL(result, name, parameters, arguments) \
    result name parameters {                                      \
        const ServedCall served(__builtin_frame_address(0));      \
        count_call(Function::name);                               \
        return CUDASH_DISPATCH(name, arguments);                  \
    }
#define CUDASH_ENTRY_LATE CUDASH_ENTRY_VIRTUAL
#define CUDASH_ENTRY_ALWAYS CUDASH_ENTRY_VIRTUAL
#define CUDASH_ENTRY_ANYWHERE CUDASH_ENTRY_VIRTUAL
#define CUDASH_ENTRY_NONE CUDASH_ENTRY_VIRTUAL
#define CUDASH_ENTRY_PURE(result, name, parameters, arguments) \
    result name parameters {                                   \
        count_call(Function::name);                            \
        return pure::name arguments;                           \
    }

#define STREAM(argument) \
    StreamArgument {     \
        argument         \
    }
#define CUDA_API(topic, support, real, versions, result, name, parameters, arguments) \
    CUDASH_ENTRY_##support(result, name, parameters, arguments) static_assert(        \
        std::is_same_v<decltype(&entry::name), decltype(&::name)>, #name ": the row differs from the header");
#include "runtime_wrappers/api/cuda_api.def"
#undef CUDA_API
#undef STREAM

// The variants for a per-thread default stream do the same with another null stream.
#define STREAM(argument)     \
    StreamArgument {         \
        per_thread(argument) \
    }
#define CUDASH_VARIANT_ONE(result, name, parameters, arguments)
#define CUDASH_VARIANT_PTDS(result, name, parameters, arguments) \
    result name##_ptds parameters {                              \
        const ServedCall served(__builtin_frame_address(0));     \
        count_call(Function::name);                              \
        return CUDASH_DISPATCH(name, arguments);                 \
    }
#define CUDASH_VARIANT_PTSZ(result, name, parameters, arguments) \
    result name##_ptsz parameters {                              \
        const ServedCall served(__builtin_frame_address(0));     \
        count_call(Function::name);                              \
        return CUDASH_DISPATCH(name, arguments);                 \
    }
#define CUDA_API(topic, support, real, versions, result, name, parameters, arguments) \
    CUDASH_VARIANT_##versions(result, name, parameters, arguments)
#include "runtime_wrappers/api/cuda_api.def"
#undef CUDA_API
#undef CUDASH_VARIANT_PTSZ
#undef CUDASH_VARIANT_PTDS
#undef CUDASH_VARIANT_ONE
#undef STREAM

unsigned push_call_configuration(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream) {
    auto& pushed = thread_state().configurations;
    // The arguments of a launch are evaluated before its stub pops the configuration, and may launch themselves. When
    // they end by an exception, nothing pops it. The same launch in the same frame tells that: it can't be inside of
    // its own arguments.
    const void* const site = __builtin_return_address(0);
    const void* const frame = __builtin_frame_address(0);
    std::erase_if(pushed, [&](const CallConfiguration& each) { return each.site == site && each.frame == frame; });
    pushed.push_back({grid, block, shared, stream, site, frame});
    return 0;
}

cudaError_t pop_call_configuration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
    auto& pushed = thread_state().configurations;
    if (pushed.empty()) return cudaErrorMissingConfiguration;
    const CallConfiguration configuration = pushed.back();
    pushed.pop_back();
    *grid = configuration.grid;
    *block = configuration.block;
    *shared = configuration.shared;
    *static_cast<cudaStream_t*>(stream) = configuration.stream;
    return cudaSuccess;
}

}  // namespace entry

std::span<const Symbol> entry_points() {
    static const std::vector<Symbol> symbols = {
#define CUDASH_VARIANT_ONE(name)
#define CUDASH_VARIANT_PTDS(name) {#name "_ptds", reinterpret_cast<const void*>(&entry::name##_ptds)},
#define CUDASH_VARIANT_PTSZ(name) {#name "_ptsz", reinterpret_cast<const void*>(&entry::name##_ptsz)},
#define CUDA_API(topic, support, real, versions, result, name, parameters, arguments) \
    {#name, reinterpret_cast<const void*>(&entry::name)}, CUDASH_VARIANT_##versions(name)
#include "runtime_wrappers/api/cuda_api.def"
#undef CUDA_API
#undef CUDASH_VARIANT_PTSZ
#undef CUDASH_VARIANT_PTDS
#undef CUDASH_VARIANT_ONE
        {"__cudaPushCallConfiguration", reinterpret_cast<const void*>(&entry::push_call_configuration)},
        {"__cudaPopCallConfiguration", reinterpret_cast<const void*>(&entry::pop_call_configuration)},
    };
    return symbols;
}

}  // namespace cudash::api
