// The functions of cuSOLVER under their names, derived from cusolver.def.
#include <type_traits>
#include <vector>

#include "runtime_wrappers/libraries/cusolver/typed.h"
#include "runtime_wrappers/libraries/entry.h"
#include "runtime_wrappers/libraries/tables.h"

namespace cudash::libraries::cusolver {
namespace entry {
namespace {

#define CUSOLVER(topic, body, name, parameters, arguments) \
    CUDASH_LIBRARY_ENTRY(cusolverStatus_t, "cuSOLVER", topic, body, name, parameters, arguments)
#define CUSOLVER_PLAIN(topic, body, name, parameters, arguments) \
    auto name parameters {                                       \
        return bodies::body arguments;                           \
    }                                                            \
    static_assert(std::is_same_v<decltype(&entry::name), decltype(&::name)>);
#define CUSOLVER_LACKING(topic, name) \
    CUDASH_LIBRARY_LACKS(cusolverStatus_t, CUSOLVER_STATUS_NOT_SUPPORTED, "cuSOLVER", name)
#include "runtime_wrappers/libraries/cusolver/cusolver.def"
#undef CUSOLVER
#undef CUSOLVER_PLAIN
#undef CUSOLVER_LACKING

}  // namespace
}  // namespace entry

std::span<const FunctionRow> rows() {
    static const std::vector<FunctionRow> all = {
#define CUSOLVER(topic, body, name, parameters, arguments) \
    {"cuSOLVER", #topic, #name, #arguments, reinterpret_cast<const void*>(&entry::name)},
#define CUSOLVER_PLAIN CUSOLVER
#define CUSOLVER_LACKING(topic, name) {"cuSOLVER", #topic, #name, "", reinterpret_cast<const void*>(&entry::name)},
#include "runtime_wrappers/libraries/cusolver/cusolver.def"
#undef CUSOLVER
#undef CUSOLVER_PLAIN
#undef CUSOLVER_LACKING
    };
    return all;
}

}  // namespace cudash::libraries::cusolver
