#include "runtime_wrappers/virtual_gpu/exec/vector_units.h"

namespace cudash::virtual_gpu {

std::string_view vector_units() {
#if defined(__AVX512BW__)
    return "AVX-512";
#elif defined(__AVX2__)
    return "AVX2";
#elif defined(__SSE2__)
    return "SSE2";
#elif defined(__ARM_NEON)
    return "NEON";
#else
    return "no vector units";
#endif
}

}  // namespace cudash::virtual_gpu
