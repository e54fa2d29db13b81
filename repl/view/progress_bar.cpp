#include "repl/view/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>

namespace cudash::view {

std::string progress_bar(std::string_view what, std::uint64_t done, std::uint64_t all, unsigned width) {
    constexpr std::size_t around = 10;  // brackets, spaces and "100 %"
    constexpr std::size_t longest = 40;
    const double part = all == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
    const std::string percent = fmt::format("{:.0f} %", part * 100);
    const std::size_t name = std::min<std::size_t>(what.size(), width > 40 ? width - 40 : std::max(width, 8u) - 6);
    const std::size_t room = width > name + around ? std::min(longest, width - name - around) : 0;
    if (room < 4) return fmt::format("{} {}", what.substr(0, name), percent);
    const auto filled = static_cast<std::size_t>(part * static_cast<double>(room));
    return fmt::format("{} [{}{}] {}", what.substr(0, name), std::string(filled, '#'), std::string(room - filled, '.'),
                       percent);
}

}  // namespace cudash::view
