#include "runtime_wrappers/cuda/cudart.h"

#include <dlfcn.h>

#include "runtime_wrappers/nvrtc/toolkit.h"

namespace cudash::cuda {
namespace {

struct Library {
    std::string tried;
    void* handle = nvrtc::open_toolkit_library("libcudart.so.13", &tried);
};

const Library& library() {
    static const Library opened;
    return opened;
}

}  // namespace

void* cudart_symbol(const char* name) {
    void* handle = library().handle;
    return handle ? dlsym(handle, name) : nullptr;
}

void* driver_symbol(const char* name) {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!driver) return nullptr;
    void* symbol = dlsym(driver, name);
    dlclose(driver);  // libcudart has it open
    return symbol;
}

const std::string& cudart_missing() {
    static const std::string none;
    return library().handle ? none : library().tried;
}

}  // namespace cudash::cuda
