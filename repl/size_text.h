// Sizes as people read them.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>

namespace cudash {

/// "4 KiB", "1.5 MiB"
inline std::string size_text(std::uint64_t bytes) {
    constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
    return fmt::format("{:.4g} {}", value, units[unit]);
}

}  // namespace cudash
