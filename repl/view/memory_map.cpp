#include "repl/view/memory_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "repl/size_text.h"

namespace cudash::view {
namespace {

using session::MemoryRange;

/// Allocations that are further apart are in regions of their own: host memory, variables, the heap.
constexpr std::uint64_t region_gap = std::uint64_t{1} << 28;

}  // namespace

std::vector<MemoryRegion> regions_of(const std::vector<MemoryRange>& ranges) {
    std::vector<MemoryRegion> regions;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const std::uint64_t end = ranges[i].address + ranges[i].size;
        if (regions.empty() || ranges[i].address > regions.back().end + region_gap)
            regions.push_back({i, i, ranges[i].address, end});
        regions.back().last = i + 1;
        regions.back().end = std::max(regions.back().end, end);
    }
    return regions;
}

std::string print_memory_map(const std::vector<MemoryRange>& ranges, const Screen& screen) {
    std::string text;
    std::map<char, std::string_view> letters;
    const std::size_t width = std::clamp<std::size_t>(screen.width > 44 ? screen.width - 44 : 20, 20, 64);
    for (const MemoryRegion& region : regions_of(ranges)) {
        const double span = static_cast<double>(region.end - region.begin);
        std::string bar(width, '.');
        for (std::size_t i = region.first; i < region.last; ++i) {
            const auto place = [&](std::uint64_t address) {
                return static_cast<std::size_t>(static_cast<double>(address - region.begin) / span *
                                                static_cast<double>(width));
            };
            // Neighbours are told apart by case, and the smallest allocation is seen.
            const char letter = ranges[i].kind.empty() ? '?' : ranges[i].kind[0];
            letters[letter] = ranges[i].kind;
            const char mark = i % 2 == region.first % 2 ? letter : static_cast<char>(letter - 'a' + 'A');
            const std::size_t from = std::min(width - 1, place(ranges[i].address));
            const std::size_t to = std::clamp(place(ranges[i].address + ranges[i].size), from + 1, width);
            std::fill(bar.begin() + static_cast<std::ptrdiff_t>(from), bar.begin() + static_cast<std::ptrdiff_t>(to),
                      mark);
        }
        text += fmt::format("{:#x} [{}] {}\n", region.begin, bar, size_text(region.end - region.begin));
    }
    if (text.empty()) return text;
    std::string legend;
    for (const auto& [letter, kind] : letters)
        legend += fmt::format("{}{} {}", legend.empty() ? "" : ", ", letter, kind);
    return text + legend + "; upper and lower case tell neighbors apart, . is free\n";
}

}  // namespace cudash::view
