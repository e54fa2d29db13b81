// Sums and products of sizes that a module, a launch or a file names: too large a number stays too large.
#pragma once

#include <cstdint>
#include <limits>

namespace cudash::virtual_gpu {

inline constexpr std::uint64_t too_large = std::numeric_limits<std::uint64_t>::max();

constexpr std::uint64_t size_sum(std::uint64_t a, std::uint64_t b) {
    return b > too_large - a ? too_large : a + b;
}
constexpr std::uint64_t size_product(std::uint64_t a, std::uint64_t b) {
    return a != 0 && b > too_large / a ? too_large : a * b;
}
/// The next multiple of `unit`, which is not 0.
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    const std::uint64_t over = value % unit;
    return over == 0 ? value : size_sum(value, unit - over);
}

/// "Maximum amount of local memory per thread: 512 KB" (Programming Guide, "Technical Specifications per Compute
/// Capability"). An H200 refuses to launch a kernel that needs more.
inline constexpr std::uint64_t most_local_bytes = 512 << 10;
/// The parameters of a kernel (PTX ISA 5.1.6.1, from PTX 8.1 and sm_70 on).
inline constexpr std::uint64_t most_parameter_bytes = 32764;
/// Registers and constants of one function. No compiler comes near it.
inline constexpr std::uint64_t most_frame_bytes = 1 << 30;

}  // namespace cudash::virtual_gpu
