// How often interpreted code called each function of the CUDA runtime, since the process began.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "runtime_wrappers/api/function.h"

namespace cudash::api {

inline constexpr std::size_t function_count = 0
#define CUDA_API(topic, support, real, versions, result, name, parameters, arguments) +1
#include "runtime_wrappers/api/cuda_api.def"
#undef CUDA_API
    ;

inline std::array<std::atomic<std::uint64_t>, function_count> call_counts{};

/// The variants for a per-thread default stream count as the function itself.
inline void count_call(Function function) noexcept {
    call_counts[static_cast<std::size_t>(function)].fetch_add(1, std::memory_order_relaxed);
}
inline std::uint64_t calls_of(Function function) noexcept {
    return call_counts[static_cast<std::size_t>(function)].load(std::memory_order_relaxed);
}

}  // namespace cudash::api
