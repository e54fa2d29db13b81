// For our libcublas and its kin (libraries/exports.cpp), which are libraries of their own: their functions live here,
// beside the device.
#include "runtime_wrappers/libraries/serve.h"

extern "C" __attribute__((visibility("default"))) const void* __cudaCudashLibraryFunction(const char* name) {
    return cudash::libraries::find_function(name);
}
