// How far something is, in a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cudash::view {

/// "square [########............] 40 %", not wider than `width` columns.
std::string progress_bar(std::string_view what, std::uint64_t done, std::uint64_t all, unsigned width);

}  // namespace cudash::view
