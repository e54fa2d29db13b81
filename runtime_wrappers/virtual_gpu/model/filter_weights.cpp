#include "runtime_wrappers/virtual_gpu/model/filter_weights.h"

namespace cudash::virtual_gpu {

Footprint linear_footprint(double coordinate) {
    const auto fixed =
        static_cast<std::int64_t>(std::floor((bounded_coordinate(coordinate) - 0.5) * weight_unit + 0.5));
    return {fixed >> 8, static_cast<std::uint32_t>(fixed & (weight_unit - 1))};
}

QuadWeights quad_weights(std::uint32_t total, std::uint32_t x, std::uint32_t y) {
    const std::uint32_t right = (total * x + 128) / weight_unit, left = total - right;
    const std::uint32_t lower_right = (right * y + 128) / weight_unit, lower_left = (left * y + 127) / weight_unit;
    return {left - lower_left, right - lower_right, lower_left, lower_right};
}

std::int32_t fixed_level(double level) {
    constexpr double most = 1 << 20;
    if (std::isnan(level)) return 0;
    return static_cast<std::int32_t>(std::clamp(level, -most, most) * 256);
}

}  // namespace cudash::virtual_gpu
