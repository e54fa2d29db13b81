// What libcuda hands on to the virtual GPU: the rows of driver_calls.def, under names of our own.
#include "runtime_wrappers/virtual_gpu/runtime/driver_entry.h"

#define DRIVER_CALL(when, name, parameters, arguments)                                                        \
    extern "C" __attribute__((visibility("default"))) CUresult __cudaCudash_##name parameters {               \
        return cudash::virtual_gpu::runtime::serve_driver_call(#name, #arguments, __builtin_frame_address(0), \
                                                               cudash::virtual_gpu::runtime::name##_body,     \
                                                               CUDASH_ARGUMENTS arguments);                   \
    }
#include "runtime_wrappers/api/driver_calls.def"
