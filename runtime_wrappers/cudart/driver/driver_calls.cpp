// The driver API's own functions: libcudart has them, beside the device.
#include "runtime_wrappers/cudart/driver/driver.h"

/// libcudart's.
extern "C" const void* __cudaCudashDriverFunction(const char* name);

namespace {

enum class Needs { START, CONTEXT };

CUresult missing(Needs needs) {
    if (!cudash::cudart::driver::is_initialized()) return CUDA_ERROR_NOT_INITIALIZED;
    return needs == Needs::CONTEXT ? cudash::cudart::driver::without_context() : CUDA_SUCCESS;
}

}  // namespace

#define DRIVER_CALL(when, name, parameters, arguments)                                                 \
    CUDASH_EXPORT CUresult name parameters {                                                           \
        static const auto function =                                                                   \
            reinterpret_cast<decltype(&::name)>(const_cast<void*>(__cudaCudashDriverFunction(#name))); \
        const CUresult bad = missing(Needs::when);                                                     \
        return bad != CUDA_SUCCESS ? bad : function arguments;                                         \
    }
#include "runtime_wrappers/api/driver_calls.def"
