// Races between the two halves of a launch's blocks, where an observer of its own saw each.
#pragma once

#include "runtime_wrappers/virtual_gpu/check/findings.h"
#include "runtime_wrappers/virtual_gpu/check/global_races.h"

namespace cudash::virtual_gpu {

struct HalfSeen {
    const Order& order;
    const SiteTable& sites;
    GlobalRaces& races;
};

/// The launch is one in which blocks have no way to wait for each other: that both were there is enough.
void find_races_between_halves(HalfSeen first, HalfSeen second, Findings& findings);

}  // namespace cudash::virtual_gpu
