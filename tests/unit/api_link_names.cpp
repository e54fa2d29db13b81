// The CUDA runtime's own names for the tests: each forwards to our entry point, so that tests are plain CUDA programs.
#include "runtime_wrappers/api/entry_points.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define KERNEL(argument) argument
#define SYMBOL(argument) argument
#define STREAM(argument) argument
#define NODE(argument) argument
#define CUDA_API(topic, support, real, versions, result, name, parameters, arguments) \
    extern "C" result name parameters {                                               \
        return cudash::api::entry::name arguments;                                    \
    }
#include "runtime_wrappers/api/cuda_api.def"
