#include "runtime_wrappers/api/argument.h"

#include <array>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/error_names.h"

namespace cudash::api {
namespace {

struct Named {
    int value;
    std::string_view name;
};
#define NAMED(x) \
    Named {      \
        x, #x    \
    }
constexpr std::array memcpy_kinds = {NAMED(cudaMemcpyHostToHost), NAMED(cudaMemcpyHostToDevice),
                                     NAMED(cudaMemcpyDeviceToHost), NAMED(cudaMemcpyDeviceToDevice),
                                     NAMED(cudaMemcpyDefault)};
constexpr std::array limits = {NAMED(cudaLimitStackSize),
                               NAMED(cudaLimitPrintfFifoSize),
                               NAMED(cudaLimitMallocHeapSize),
                               NAMED(cudaLimitDevRuntimeSyncDepth),
                               NAMED(cudaLimitDevRuntimePendingLaunchCount),
                               NAMED(cudaLimitMaxL2FetchGranularity),
                               NAMED(cudaLimitPersistingL2CacheSize)};
constexpr std::array function_attributes = {
    NAMED(cudaFuncAttributeMaxDynamicSharedMemorySize),    NAMED(cudaFuncAttributePreferredSharedMemoryCarveout),
    NAMED(cudaFuncAttributeClusterDimMustBeSet),           NAMED(cudaFuncAttributeRequiredClusterWidth),
    NAMED(cudaFuncAttributeRequiredClusterHeight),         NAMED(cudaFuncAttributeRequiredClusterDepth),
    NAMED(cudaFuncAttributeNonPortableClusterSizeAllowed), NAMED(cudaFuncAttributeClusterSchedulingPolicyPreference)};
constexpr std::array cache_configs = {NAMED(cudaFuncCachePreferNone), NAMED(cudaFuncCachePreferShared),
                                      NAMED(cudaFuncCachePreferL1), NAMED(cudaFuncCachePreferEqual)};
constexpr std::array launch_attributes = {
    NAMED(cudaLaunchAttributeAccessPolicyWindow), NAMED(cudaLaunchAttributeCooperative),
    NAMED(cudaLaunchAttributeSynchronizationPolicy), NAMED(cudaLaunchAttributeClusterDimension),
    NAMED(cudaLaunchAttributePriority)};
#undef NAMED

std::string name_in(std::span<const Named> names, int value) {
    for (const Named& named : names)
        if (named.value == value) return std::string(named.name);
    return fmt::format("{}", value);
}

/// The name inside "KERNEL(func)".
std::string_view bare(std::string_view argument) {
    const auto open = argument.find('(');
    if (open == std::string_view::npos) return argument;
    argument.remove_prefix(open + 1);
    return argument.substr(0, argument.find(')'));
}

}  // namespace

std::string to_text(cudaMemcpyKind kind) {
    return name_in(memcpy_kinds, kind);
}
std::string to_text(cudaLimit limit) {
    return name_in(limits, limit);
}
std::string to_text(cudaFuncAttribute attribute) {
    return name_in(function_attributes, attribute);
}
std::string to_text(cudaFuncCache config) {
    return name_in(cache_configs, config);
}
std::string to_text(cudaLaunchAttributeID attribute) {
    return name_in(launch_attributes, attribute);
}
std::string to_text(cudaError_t error) {
    return error_name(error);
}
std::string to_text(dim3 size) {
    return fmt::format("({}, {}, {})", size.x, size.y, size.z);
}
std::string to_text(cudaExtent extent) {
    return fmt::format("{{{}, {}, {}}}", extent.width, extent.height, extent.depth);
}
std::string to_text(const cudaPitchedPtr& pointer) {
    return fmt::format("{{ptr={}, pitch={}, xsize={}, ysize={}}}", to_text(static_cast<const void*>(pointer.ptr)),
                       pointer.pitch, pointer.xsize, pointer.ysize);
}
std::string to_text(cudaMemLocation location) {
    switch (location.type) {
        case cudaMemLocationTypeDevice:
            return fmt::format("device {}", location.id);
        case cudaMemLocationTypeHost:
            return "host";
        default:
            return fmt::format("{{type={}, id={}}}", static_cast<int>(location.type), location.id);
    }
}
std::string to_text(KernelArgument kernel) {
    const Active* runtime = active();
    const KernelSymbol* symbol = runtime ? runtime->code->kernel(kernel.stub) : nullptr;
    return symbol ? symbol->display : to_text(kernel.stub);
}
std::string to_text(SymbolArgument symbol) {
    const Active* runtime = active();
    const VariableSymbol* variable = runtime ? runtime->code->variable(symbol.shadow) : nullptr;
    return variable ? variable->display : to_text(symbol.shadow);
}
std::string to_text(StreamArgument stream) {
    if (stream.stream == nullptr) return "0";
    if (stream.stream == cudaStreamLegacy) return "cudaStreamLegacy";
    if (stream.stream == cudaStreamPerThread) return "cudaStreamPerThread";
    return to_text(static_cast<const void*>(stream.stream));
}
std::string to_text(const void* pointer) {
    return pointer ? fmt::format("{}", pointer) : "nullptr";
}
std::string to_text(const char* text) {
    // Only its address: nothing says that a student's pointer is a string.
    return to_text(static_cast<const void*>(text));
}

std::string describe_call(std::string_view name, std::string_view arguments, std::span<const std::string> values) {
    std::string text(name);
    text += '(';
    if (arguments.size() >= 2) arguments = arguments.substr(1, arguments.size() - 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto comma = arguments.find(", ");
        if (i) text += ", ";
        text += bare(arguments.substr(0, comma));
        text += '=';
        text += values[i];
        arguments.remove_prefix(comma == std::string_view::npos ? arguments.size() : comma + 2);
    }
    text += ')';
    return text;
}

}  // namespace cudash::api
