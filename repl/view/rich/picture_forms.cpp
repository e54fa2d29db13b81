// Pictures of profiles and the map of memory.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "repl/size_text.h"
#include "repl/view/memory_map.h"
#include "repl/view/picture/page.h"
#include "repl/view/picture/svg.h"
#include "repl/view/rich/forms.h"

namespace cudash::view {

void add_forms(const Picture& picture, Rich& rich) {
    if (const auto* listing = std::get_if<SourceListing>(&picture)) {
        rich.html = fragment(html(*listing));
        return;
    }
    std::visit(
        [&](const auto& each) {
            if constexpr (requires { figure(each); }) {
                const Figure drawing = figure(each);
                if (!drawing.is_empty()) rich.svg = drawing.svg();
            }
        },
        picture);
}

std::string memory_map_svg(const std::vector<session::MemoryRange>& ranges) {
    constexpr Ink paints[] = {Ink::blue, Ink::good, Ink::orange, Ink::violet,
                              Ink::teal, Ink::warm, Ink::bad,    Ink::quiet};
    constexpr double row = 34, width = 640;
    const std::vector<MemoryRegion> regions = regions_of(ranges);
    if (regions.empty()) return {};
    std::map<std::string, Ink> kinds;
    for (const session::MemoryRange& range : ranges)
        kinds.try_emplace(range.kind, paints[std::min(kinds.size(), std::size(paints) - 1)]);
    Figure figure(width, row * static_cast<double>(regions.size()) + 16);
    double y = 0;
    for (const MemoryRegion& region : regions) {
        const double span = std::max(1.0, static_cast<double>(region.end - region.begin));
        figure.text(0, y + 10, fmt::format("{:#x}", region.begin), Ink::quiet);
        figure.text_before(width, y + 10, size_text(region.end - region.begin));
        figure.box(0, y + 14, width, 14, Ink::pale);
        for (std::size_t i = region.first; i < region.last; ++i) {
            const session::MemoryRange& range = ranges[i];
            const double x = width * static_cast<double>(range.address - region.begin) / span;
            const double wide = width * static_cast<double>(range.size) / span;
            // A gap of a pixel tells neighbors apart.
            figure.box(x, y + 14, std::max(1.5, wide - 1), 14, kinds[range.kind],
                       fmt::format("{:#x}: {}, {}", range.address, size_text(range.size), range.kind));
        }
        y += row;
    }
    double x = 0;
    for (const auto& [kind, paint] : kinds) {
        figure.box(x, y + 2, 10, 10, paint);
        figure.text(x + 14, y + 11, kind);
        x += 30 + 7 * static_cast<double>(kind.size());
    }
    return figure.svg();
}

}  // namespace cudash::view
