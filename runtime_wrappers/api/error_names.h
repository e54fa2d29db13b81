// Names and descriptions of error codes, as cudaGetErrorName and cudaGetErrorString give them.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cudash::api {

/// Never null; "unrecognized error code" where the header knows none, as libcudart says it.
const char* error_name(cudaError_t error);
const char* error_string(cudaError_t error);

/// "cuda-invalid-value" for cudaErrorInvalidValue: the stable code of a diagnostic.
std::string diagnostic_code(cudaError_t error);

/// Every member of cudaError.
std::span<const cudaError_t> errors();
/// The error whose name, diagnostic code or number ("1") it is.
std::optional<cudaError_t> error_named(std::string_view text);

}  // namespace cudash::api
