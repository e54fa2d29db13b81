// The functions of cuFFT under their names, derived from cufft.def.
#include <vector>

#include "runtime_wrappers/libraries/cufft/plan.h"
#include "runtime_wrappers/libraries/entry.h"
#include "runtime_wrappers/libraries/tables.h"

namespace cudash::libraries::cufft {
namespace entry {
namespace {

#define CUFFT(topic, body, name, parameters, arguments) \
    CUDASH_LIBRARY_ENTRY(cufftResult, "cuFFT", topic, body, name, parameters, arguments)
#define CUFFT_LACKING(topic, name) CUDASH_LIBRARY_LACKS(cufftResult, CUFFT_NOT_SUPPORTED, "cuFFT", name)
#include "runtime_wrappers/libraries/cufft/cufft.def"
#undef CUFFT
#undef CUFFT_LACKING

}  // namespace
}  // namespace entry

std::span<const FunctionRow> rows() {
    static const std::vector<FunctionRow> all = {
#define CUFFT(topic, body, name, parameters, arguments) \
    {"cuFFT", #topic, #name, #arguments, reinterpret_cast<const void*>(&entry::name)},
#define CUFFT_LACKING(topic, name) {"cuFFT", #topic, #name, "", reinterpret_cast<const void*>(&entry::name)},
#include "runtime_wrappers/libraries/cufft/cufft.def"
#undef CUFFT
#undef CUFFT_LACKING
    };
    return all;
}

}  // namespace cudash::libraries::cufft
