// The functions of libnvrtc that are used, from the library opened at run time.
#pragma once

#include <nvrtc.h>

#include <string>

#include "runtime_wrappers/result.h"

namespace cudash::nvrtc {

struct Library {
    decltype(&::nvrtcVersion) version;
    decltype(&::nvrtcGetErrorString) error_string;
    decltype(&::nvrtcCreateProgram) create_program;
    decltype(&::nvrtcDestroyProgram) destroy_program;
    decltype(&::nvrtcAddNameExpression) add_name_expression;
    decltype(&::nvrtcGetLoweredName) lowered_name;
    decltype(&::nvrtcCompileProgram) compile_program;
    decltype(&::nvrtcGetProgramLogSize) log_size;
    decltype(&::nvrtcGetProgramLog) log;
    decltype(&::nvrtcGetPTXSize) ptx_size;
    decltype(&::nvrtcGetPTX) ptx;
    decltype(&::nvrtcGetCUBINSize) cubin_size;
    decltype(&::nvrtcGetCUBIN) cubin;
    int (*set_flow_callback)(nvrtcProgram, int (*)(void*, void*), void*);  ///< nullptr before CUDA 12.9
    // Of precompiled headers; nullptr before CUDA 12.8.
    nvrtcResult (*kept_headers_status)(nvrtcProgram);
    nvrtcResult (*set_kept_headers_size)(std::size_t);
    int major = 0, minor = 0;
};

/// Opened once, on first use. The error says where it was looked for.
const Result<Library>& library();

}  // namespace cudash::nvrtc
