// Names and descriptions of error codes, as cudaGetErrorName and cudaGetErrorString give them.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace cudash::api {

/// Never null; "unrecognized error code" where the header knows none, as libcudart says it.
const char* error_name(cudaError_t error);
const char* error_string(cudaError_t error);

/// "cuda-invalid-value" for cudaErrorInvalidValue: the stable code of a diagnostic.
std::string diagnostic_code(cudaError_t error);

}  // namespace cudash::api
