// A failed call becomes one diagnostic: the call with its arguments, the error, why, and what to try.
#pragma once

#include <cuda_runtime_api.h>

#include <span>
#include <string>
#include <string_view>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/function.h"

namespace cudash::api {

/// cudaGetLastError and cudaPeekAtLastError.
bool asks_for_error(Function function);
/// True for results that are answers rather than failures (cudaErrorNotReady), and for calls that only repeat an error.
bool is_answer(Function function, cudaError_t status);

/// What to say of a function that the virtual GPU does not have.
Explanation lacking(std::string_view function);

/// Tells why device code did not compile, and returns the error of the call that needed it.
cudaError_t does_not_compile(const Active& runtime, const Diagnostic& failure);

/// `values`: the arguments as text. Sends the diagnostic, unless reports are off or the explanation says that it was
/// told already.
void report_failure(const Active& runtime, Function function, cudaError_t status, std::span<const std::string> values,
                    const Explanation& explanation);

}  // namespace cudash::api
