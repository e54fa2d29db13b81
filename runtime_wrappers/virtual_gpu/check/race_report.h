// Races as findings: what each side does, on which line, with which value, and what would order them.
#pragma once

#include "runtime_wrappers/virtual_gpu/check/checkers.h"
#include "runtime_wrappers/virtual_gpu/check/findings.h"
#include "runtime_wrappers/virtual_gpu/check/race_shadow.h"

namespace cudash::virtual_gpu {

struct RaceReporter {
    Findings& findings;
    const Order& order;
    const SiteTable& sites;
    const Selection& selection;

    void report(const RaceFound& race, bool shared) const;
};

}  // namespace cudash::virtual_gpu
