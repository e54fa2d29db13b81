// The functions of cuBLASLt under their names, derived from cublasLt.def.
#include <type_traits>
#include <vector>

#include "runtime_wrappers/libraries/cublasLt/bodies.h"
#include "runtime_wrappers/libraries/entry.h"
#include "runtime_wrappers/libraries/tables.h"

namespace cudash::libraries::cublas_lt {
namespace entry {
namespace {

#define CUBLASLT(topic, body, name, parameters, arguments) \
    CUDASH_LIBRARY_ENTRY(cublasStatus_t, "cuBLASLt", topic, body, name, parameters, arguments)
#define CUBLASLT_PLAIN(topic, body, name, parameters, arguments) \
    auto name parameters {                                       \
        return bodies::body arguments;                           \
    }                                                            \
    static_assert(std::is_same_v<decltype(&entry::name), decltype(&::name)>);
#define CUBLASLT_LACKING(topic, name) \
    CUDASH_LIBRARY_LACKS(cublasStatus_t, CUBLAS_STATUS_NOT_SUPPORTED, "cuBLASLt", name)
#include "runtime_wrappers/libraries/cublasLt/cublasLt.def"
#undef CUBLASLT
#undef CUBLASLT_PLAIN
#undef CUBLASLT_LACKING

}  // namespace
}  // namespace entry

std::span<const FunctionRow> rows() {
    static const std::vector<FunctionRow> all = {
#define CUBLASLT(topic, body, name, parameters, arguments) \
    {"cuBLASLt", #topic, #name, #arguments, reinterpret_cast<const void*>(&entry::name)},
#define CUBLASLT_PLAIN CUBLASLT
#define CUBLASLT_LACKING(topic, name) {"cuBLASLt", #topic, #name, "", reinterpret_cast<const void*>(&entry::name)},
#include "runtime_wrappers/libraries/cublasLt/cublasLt.def"
#undef CUBLASLT
#undef CUBLASLT_PLAIN
#undef CUBLASLT_LACKING
    };
    return all;
}

}  // namespace cudash::libraries::cublas_lt
