// The functions of cuRAND under their names, derived from curand.def.
#include <vector>

#include "runtime_wrappers/libraries/curand/generator.h"
#include "runtime_wrappers/libraries/entry.h"
#include "runtime_wrappers/libraries/tables.h"

namespace cudash::libraries::curand {
namespace entry {
namespace {

#define CURAND(topic, body, name, parameters, arguments) \
    CUDASH_LIBRARY_ENTRY(curandStatus_t, "cuRAND", topic, body, name, parameters, arguments)
#define CURAND_LACKING(topic, name) CUDASH_LIBRARY_LACKS(curandStatus_t, CURAND_STATUS_INTERNAL_ERROR, "cuRAND", name)
#include "runtime_wrappers/libraries/curand/curand.def"
#undef CURAND
#undef CURAND_LACKING

}  // namespace
}  // namespace entry

std::span<const FunctionRow> rows() {
    static const std::vector<FunctionRow> all = {
#define CURAND(topic, body, name, parameters, arguments) \
    {"cuRAND", #topic, #name, #arguments, reinterpret_cast<const void*>(&entry::name)},
#define CURAND_LACKING(topic, name) {"cuRAND", #topic, #name, "", reinterpret_cast<const void*>(&entry::name)},
#include "runtime_wrappers/libraries/curand/curand.def"
#undef CURAND
#undef CURAND_LACKING
    };
    return all;
}

}  // namespace cudash::libraries::curand
