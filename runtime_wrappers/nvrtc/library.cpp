#include "runtime_wrappers/nvrtc/library.h"

#include <dlfcn.h>

#include <fmt/format.h>

#include "runtime_wrappers/nvrtc/toolkit.h"

namespace cudash::nvrtc {
namespace {

Result<Library> open() {
    std::string tried;
    void* handle = nullptr;
    // Of CUDA 12 it does for the virtual GPU, which wants only PTX.
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so", "libnvrtc.so.12"})
        if (!handle) handle = open_toolkit_library(name, &tried);
    if (!handle)
        return error("nvrtc-missing", fmt::format("NVRTC, which compiles device code, was not found (tried {})", tried),
                     "install the CUDA toolkit 13 (its nvrtc component is enough) or set CUDA_PATH to it");
    Library library{};
    std::string missing;
    const auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
        if (!function) missing = name;
    };
    find(library.version, "nvrtcVersion");
    find(library.error_string, "nvrtcGetErrorString");
    find(library.create_program, "nvrtcCreateProgram");
    find(library.destroy_program, "nvrtcDestroyProgram");
    find(library.add_name_expression, "nvrtcAddNameExpression");
    find(library.lowered_name, "nvrtcGetLoweredName");
    find(library.compile_program, "nvrtcCompileProgram");
    find(library.log_size, "nvrtcGetProgramLogSize");
    find(library.log, "nvrtcGetProgramLog");
    find(library.ptx_size, "nvrtcGetPTXSize");
    find(library.ptx, "nvrtcGetPTX");
    find(library.cubin_size, "nvrtcGetCUBINSize");
    find(library.cubin, "nvrtcGetCUBIN");
    if (!missing.empty())
        return error("nvrtc-missing", fmt::format("the NVRTC library has no {}", missing), "use CUDA 13");
    library.set_flow_callback =
        reinterpret_cast<decltype(library.set_flow_callback)>(dlsym(handle, "nvrtcSetFlowCallback"));
    const auto find_newer = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    };
    find_newer(library.kept_headers_status, "nvrtcGetPCHCreateStatus");
    find_newer(library.set_kept_headers_size, "nvrtcSetPCHHeapSize");
    library.version(&library.major, &library.minor);
    return library;
}

}  // namespace

const Result<Library>& library() {
    static const Result<Library> opened = open();
    return opened;
}

}  // namespace cudash::nvrtc
