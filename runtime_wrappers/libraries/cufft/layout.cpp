#include "runtime_wrappers/libraries/cufft/layout.h"

#include <algorithm>
#include <span>

namespace cudash::libraries::cufft {
namespace {

struct Dimension {
    std::int64_t count, stride;
};

/// Takes the first ones that continue each other.
Dimension take_joined(std::span<const Dimension>& dimensions) {
    if (dimensions.empty()) return {1, 0};
    Dimension joined = dimensions.front();
    dimensions = dimensions.subspan(1);
    while (!dimensions.empty() && dimensions.front().stride == joined.stride * joined.count) {
        joined.count *= dimensions.front().count;
        dimensions = dimensions.subspan(1);
    }
    return joined;
}

}  // namespace

MemoryRows rows_of(const Sizes& sizes, std::int64_t batch, const Layout& layout) {
    std::vector<Dimension> dimensions = {{batch, layout.batch}};
    for (std::size_t i = 0; i < sizes.size(); ++i) dimensions.push_back({sizes[i], layout.strides[i]});
    // What several transforms share counts once.
    std::erase_if(dimensions, [](const Dimension& each) { return each.count == 1 || each.stride == 0; });
    std::ranges::sort(dimensions, {}, &Dimension::stride);

    MemoryRows rows{.shape = {.width = 1}, .starts = {0}, .extent = 1};
    for (const Dimension& each : dimensions) rows.extent += (each.count - 1) * each.stride;
    std::span<const Dimension> left = dimensions;
    if (!left.empty() && left.front().stride == 1) rows.shape.width = take_joined(left).count;
    const Dimension height = take_joined(left), depth = take_joined(left);
    rows.shape.height = height.count, rows.shape.pitch = height.stride;
    rows.shape.depth = depth.count, rows.shape.slice = depth.stride;
    for (const Dimension& each : left) {
        std::vector<std::int64_t> starts;
        for (std::int64_t i = 0; i < each.count; ++i)
            for (const std::int64_t start : rows.starts) starts.push_back(start + i * each.stride);
        rows.starts = std::move(starts);
    }
    return rows;
}

}  // namespace cudash::libraries::cufft
