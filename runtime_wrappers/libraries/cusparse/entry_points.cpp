// The functions of cuSPARSE under their names, derived from cusparse.def.
#include <type_traits>
#include <vector>

#include "runtime_wrappers/libraries/cusparse/conversions.h"
#include "runtime_wrappers/libraries/cusparse/descriptors.h"
#include "runtime_wrappers/libraries/cusparse/products.h"
#include "runtime_wrappers/libraries/cusparse/solvers.h"
#include "runtime_wrappers/libraries/entry.h"
#include "runtime_wrappers/libraries/tables.h"

namespace cudash::libraries::cusparse {
namespace entry {
namespace {

#define CUSPARSE(topic, body, name, parameters, arguments) \
    CUDASH_LIBRARY_ENTRY(cusparseStatus_t, "cuSPARSE", topic, body, name, parameters, arguments)
#define CUSPARSE_PLAIN(topic, body, name, parameters, arguments) \
    auto name parameters {                                       \
        return bodies::body arguments;                           \
    }                                                            \
    static_assert(std::is_same_v<decltype(&entry::name), decltype(&::name)>);
#define CUSPARSE_LACKING(topic, name) \
    CUDASH_LIBRARY_LACKS(cusparseStatus_t, CUSPARSE_STATUS_NOT_SUPPORTED, "cuSPARSE", name)
#include "runtime_wrappers/libraries/cusparse/cusparse.def"
#undef CUSPARSE
#undef CUSPARSE_PLAIN
#undef CUSPARSE_LACKING

}  // namespace
}  // namespace entry

std::span<const FunctionRow> rows() {
    static const std::vector<FunctionRow> all = {
#define CUSPARSE(topic, body, name, parameters, arguments) \
    {"cuSPARSE", #topic, #name, #arguments, reinterpret_cast<const void*>(&entry::name)},
#define CUSPARSE_PLAIN CUSPARSE
#define CUSPARSE_LACKING(topic, name) {"cuSPARSE", #topic, #name, "", reinterpret_cast<const void*>(&entry::name)},
#include "runtime_wrappers/libraries/cusparse/cusparse.def"
#undef CUSPARSE
#undef CUSPARSE_PLAIN
#undef CUSPARSE_LACKING
    };
    return all;
}

}  // namespace cudash::libraries::cusparse
