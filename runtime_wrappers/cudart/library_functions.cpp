// For our libcublas and its kin (libraries/exports.cpp) and our libcuda, which are libraries of their own: their
// functions live here, beside the device, and so does what tells of those that are missing.
#include "runtime_wrappers/libraries/serve.h"

extern "C" __attribute__((visibility("default"))) const void* __cudaCudashLibraryFunction(const char* name) {
    return cudash::libraries::find_function(name);
}

/// `frame`: of the function that was called.
extern "C" __attribute__((visibility("default"))) void __cudaCudashTellLacking(const char* library,
                                                                               const char* function,
                                                                               const void* frame) {
    const cudash::api::ServedCall served(frame);
    cudash::libraries::tell_lacking(library, function);
}
