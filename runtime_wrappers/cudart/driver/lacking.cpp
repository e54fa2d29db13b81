// What libcuda.so.1 has to have for programs to start, and says that it lacks. Without cuda.h: whatever these functions
// are given, they take nothing.
#include <dlfcn.h>

#include <string>

namespace {

constexpr int not_supported = 801;  // CUDA_ERROR_NOT_SUPPORTED

int say_lacking(std::string name, const void* frame) {
    for (const char* version : {"_ptsz", "_ptds", "_v2", "_v3", "_v4"})
        if (name.ends_with(version)) name.erase(name.rfind('_'));
    using Tell = void (*)(const char*, const char*, const void*);
    // The library of the CUDA runtime that cudash exec has loaded, whichever of its versions.
    if (const auto tell = reinterpret_cast<Tell>(dlsym(RTLD_DEFAULT, "__cudaCudashTellLacking")))
        tell("the CUDA driver API", name.c_str(), frame);
    return not_supported;
}

}  // namespace

/// NVIDIA's own libraries ask for it, and go on without. A CUDA runtime can't that is linked into a library: if that
/// was opened by dlopen(), it was not there when the runtime of the program was replaced.
extern "C" __attribute__((visibility("default"))) int cuGetExportTable() {
    Dl_info caller{};
    const bool known = dladdr(__builtin_return_address(0), &caller) != 0 && caller.dli_fname;
    const std::string file = known ? caller.dli_fname : "", name = file.substr(file.rfind('/') + 1);
    const bool is_nvidias = name.starts_with("libnv") || name.starts_with("libcu");
    using Tell = void (*)(const char*);
    const auto tell = reinterpret_cast<Tell>(dlsym(RTLD_DEFAULT, "__cudaCudashTellOwnRuntime"));
    if (tell && known && !is_nvidias) tell(file.c_str());
    return not_supported;
}

#define CUDA_DRIVER_LACKING(name)                                  \
    extern "C" __attribute__((visibility("default"))) int name() { \
        return say_lacking(#name, __builtin_frame_address(0));     \
    }
#include "runtime_wrappers/cudart/driver/lacking.def"
