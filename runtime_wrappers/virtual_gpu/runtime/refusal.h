// Why a call is refused, said beside the error that it returns.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "runtime_wrappers/api/active.h"

namespace cudash::virtual_gpu::runtime {

/// Says why a call is refused, and returns `error`.
template <class... Values>
cudaError_t refuse(cudaError_t error, fmt::format_string<Values...> cause, Values&&... values) {
    api::thread_state().explanation.cause = fmt::format(cause, std::forward<Values>(values)...);
    return error;
}

/// The same with advice on what to try.
inline cudaError_t refuse_with_hint(cudaError_t error, std::string cause, std::string hint) {
    api::Explanation& explanation = api::thread_state().explanation;
    explanation.cause = std::move(cause);
    explanation.hint = std::move(hint);
    return error;
}

/// Where a size is larger than any memory because a negative number became a size_t; empty for others.
inline std::string hint_of_size(std::uint64_t size) {
    if (size >> 63 == 0) return {};
    return fmt::format("the size was {} before it became a size_t; an int can't hold more than 2147483647",
                       static_cast<std::int64_t>(size));
}

// The same for functions of the driver API.
template <class... Values>
CUresult refuse(CUresult error, fmt::format_string<Values...> cause, Values&&... values) {
    api::thread_state().explanation.cause = fmt::format(cause, std::forward<Values>(values)...);
    return error;
}
inline CUresult refuse_with_hint(CUresult error, std::string cause, std::string hint) {
    refuse_with_hint(cudaSuccess, std::move(cause), std::move(hint));
    return error;
}

}  // namespace cudash::virtual_gpu::runtime
