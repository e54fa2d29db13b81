// Arguments of a call, as values for messages and as what a backend takes. The kinds are those of cuda_api.def.
#pragma once

#include <cuda_runtime_api.h>

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

namespace cudash::api {

/// A launch stub of interpreted code; on the real GPU its cudaKernel_t takes its place.
struct KernelArgument {
    const void* stub;
};
/// A device variable's host shadow.
struct SymbolArgument {
    const void* shadow;
};
struct StreamArgument {
    cudaStream_t stream;
};
/// Graph node parameters, which may hold a launch stub.
template <class Parameters>
struct NodeArgument {
    Parameters* parameters;
};

template <class Parameters>
NodeArgument<Parameters> node_argument(Parameters* parameters) {
    return {parameters};
}

inline const void* plain(KernelArgument argument) {
    return argument.stub;
}
inline const void* plain(SymbolArgument argument) {
    return argument.shadow;
}
inline cudaStream_t plain(StreamArgument argument) {
    return argument.stream;
}
template <class Parameters>
Parameters* plain(NodeArgument<Parameters> argument) {
    return argument.parameters;
}
template <class Value>
Value plain(Value value) {
    return value;
}

/// "cudaMemcpyHostToDevice", or the number where the enumeration has no such member.
std::string to_text(cudaMemcpyKind kind);
std::string to_text(cudaLimit limit);
std::string to_text(cudaFuncAttribute attribute);
std::string to_text(cudaFuncCache config);
std::string to_text(cudaLaunchAttributeID attribute);
/// "cudaErrorInvalidValue".
std::string to_text(cudaError_t error);
std::string to_text(dim3 size);
std::string to_text(cudaExtent extent);
std::string to_text(const cudaPitchedPtr& pointer);
std::string to_text(cudaMemLocation location);
std::string to_text(KernelArgument kernel);
std::string to_text(SymbolArgument symbol);
std::string to_text(StreamArgument stream);
std::string to_text(const void* pointer);
std::string to_text(const char* text);

template <class Value>
std::string to_text(const Value& value) {
    if constexpr (std::is_pointer_v<Value>) {
        if constexpr (std::is_function_v<std::remove_pointer_t<Value>>)
            return to_text(reinterpret_cast<const void*>(value));
        else
            return to_text(static_cast<const void*>(value));
    } else if constexpr (std::is_enum_v<Value>) {
        return fmt::format("{}", static_cast<long long>(value));
    } else if constexpr (std::is_integral_v<Value> || std::is_floating_point_v<Value>) {
        return fmt::format("{}", value);
    } else {
        return "{...}";
    }
}
template <class Parameters>
std::string to_text(NodeArgument<Parameters> node) {
    return to_text(static_cast<const void*>(node.parameters));
}

/// "cudaMalloc(devPtr=0x7ffe..., size=16)" from the row's argument list and the values in its order.
std::string describe_call(std::string_view name, std::string_view arguments, std::span<const std::string> values);

}  // namespace cudash::api
