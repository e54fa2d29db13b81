// printf of device code (CUDA C++ Programming Guide, "Formatted Output"). NVRTC turns printf into vprintf(format,
// buffer), the arguments packed into the buffer in order, each aligned to its size: 4 bytes for int and shorter, 8 for
// double, long, long long and pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cudash::virtual_gpu {

/// The text that hardware prints: as C's printf does, but for the conversions that unlike_c() finds. `read_string`
/// reads the string at a device address for %s, nullopt if it lies in no allocation. A conversion that is unknown, or
/// that has no argument left, is printed as it stands.
std::string format_device_printf(std::string_view format, std::span<const std::byte> arguments,
                                 const std::function<std::optional<std::string>(std::uint64_t address)>& read_string);

/// Where the last whole lines of `text` begin that are at most `bytes`.
std::size_t newest_lines_at(std::string_view text, std::size_t bytes);

/// A conversion of `format` that hardware prints otherwise than C does, "%zu"; empty: there is none.
std::string_view unlike_c(std::string_view format);

/// What device printf returns: the number of arguments that the format asks for.
int count_printf_arguments(std::string_view format);

}  // namespace cudash::virtual_gpu
