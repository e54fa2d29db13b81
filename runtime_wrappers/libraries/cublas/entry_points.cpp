// The functions of cuBLAS under their names, derived from cublas.def.
#include <cublas.h>

#include <type_traits>
#include <vector>

#include "runtime_wrappers/libraries/cublas/handle.h"
#include "runtime_wrappers/libraries/cublas/least_squares.h"
#include "runtime_wrappers/libraries/cublas/legacy.h"
#include "runtime_wrappers/libraries/cublas/level1.h"
#include "runtime_wrappers/libraries/cublas/level2.h"
#include "runtime_wrappers/libraries/cublas/level3.h"
#include "runtime_wrappers/libraries/cublas/products.h"
#include "runtime_wrappers/libraries/cublas/solvers.h"
#include "runtime_wrappers/libraries/cublas/typed.h"
#include "runtime_wrappers/libraries/entry.h"
#include "runtime_wrappers/libraries/tables.h"

namespace cudash::libraries::cublas {
namespace entry {
namespace {

#define CUBLAS(topic, body, name, parameters, arguments) \
    CUDASH_LIBRARY_ENTRY(cublasStatus_t, "cuBLAS", topic, body, name, parameters, arguments)
#define CUBLAS_PLAIN(topic, body, name, parameters, arguments) \
    auto name parameters {                                     \
        return bodies::body arguments;                         \
    }                                                          \
    static_assert(std::is_same_v<decltype(&entry::name), decltype(&::name)>);
#define CUBLAS_LACKING(topic, name) CUDASH_LIBRARY_LACKS(cublasStatus_t, CUBLAS_STATUS_NOT_SUPPORTED, "cuBLAS", name)
using bodies::diagonal_of, bodies::fill_of, bodies::operation_of, bodies::side_of;
#define CUBLAS_LEGACY(topic, result, name, parameters, names, now, arguments)                                      \
    result name parameters {                                                                                       \
        static constexpr FunctionRow row{"cuBLAS", #topic, #name, #names};                                         \
        const std::array given = given_as names;                                                                   \
        const ToldAs told(row, given);                                                                             \
        return bodies::call_legacy<result>(                                                                        \
            [&](auto... place) { return entry::now(bodies::legacy_handle(), CUDASH_STRIP arguments, place...); }); \
    }                                                                                                              \
    static_assert(std::is_same_v<decltype(&entry::name), decltype(&::name)>);
#include "runtime_wrappers/libraries/cublas/cublas.def"
#undef CUBLAS
#undef CUBLAS_PLAIN
#undef CUBLAS_LACKING
#undef CUBLAS_LEGACY

}  // namespace
}  // namespace entry

std::span<const FunctionRow> rows() {
    static const std::vector<FunctionRow> all = {
#define CUBLAS(topic, body, name, parameters, arguments) \
    {"cuBLAS", #topic, #name, #arguments, reinterpret_cast<const void*>(&entry::name)},
#define CUBLAS_PLAIN CUBLAS
#define CUBLAS_LACKING(topic, name) {"cuBLAS", #topic, #name, "", reinterpret_cast<const void*>(&entry::name)},
#define CUBLAS_LEGACY(topic, result, name, parameters, names, now, arguments) \
    CUBLAS(topic, now, name, parameters, names)
#include "runtime_wrappers/libraries/cublas/cublas.def"
#undef CUBLAS
#undef CUBLAS_PLAIN
#undef CUBLAS_LACKING
#undef CUBLAS_LEGACY
    };
    return all;
}

}  // namespace cudash::libraries::cublas
