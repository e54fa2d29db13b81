// The driver API's own functions: libcudart has them, beside the device.
#include "runtime_wrappers/cudart/driver/driver.h"

namespace {

enum class Needs { START, CONTEXT };

CUresult missing(Needs needs) {
    if (!cudash::cudart::driver::is_initialized()) return CUDA_ERROR_NOT_INITIALIZED;
    return needs == Needs::CONTEXT ? cudash::cudart::driver::without_context() : CUDA_SUCCESS;
}

}  // namespace

#define DRIVER_CALL(when, name, parameters, arguments)                    \
    extern "C" CUresult __cudaCudash_##name parameters;                   \
    CUDASH_EXPORT CUresult name parameters {                              \
        const CUresult bad = missing(Needs::when);                        \
        return bad != CUDA_SUCCESS ? bad : __cudaCudash_##name arguments; \
    }
#include "runtime_wrappers/api/driver_calls.def"
