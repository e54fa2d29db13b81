// Counters under the names that Nsight Compute has for them. What is counted is a kernel's PTX: where ptxas keeps an
// access, its requests, sectors and wavefronts are those of hardware; instructions and branches are PTX's, and the
// machine code that ptxas makes of them has others.
#pragma once

#include <span>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/profile/launch_profile.h"

namespace cudash::virtual_gpu {

struct Metric {
    std::string_view name;  ///< "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    std::string_view unit;  ///< "sector"
    std::string_view title;
    double (*value)(const Counters&);
    bool as_on_hardware;  ///< one-to-one, where ptxas keeps the access
};

std::span<const Metric> metrics();

/// The metric of that name, or nullptr.
const Metric* find_metric(std::string_view name);

/// Of a launch as a whole, and of none of its lines: what it was given, and what the models say of it.
struct LaunchMetric {
    std::string_view name;  ///< "gpu__time_duration.sum"
    std::string_view unit, title;
    double (*value)(const LaunchProfile&);
};

std::span<const LaunchMetric> launch_metrics();

}  // namespace cudash::virtual_gpu
