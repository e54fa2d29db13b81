// Races in the shared memory of a block.
#pragma once

#include <algorithm>
#include <vector>

#include "runtime_wrappers/virtual_gpu/check/race_report.h"

namespace cudash::virtual_gpu {

class SharedRaces final : public RaceShadow {
public:
    explicit SharedRaces(const RaceReporter& reporter) : reporter_(reporter) {}
    void begin_block(std::uint32_t bytes) {
        lines_.assign((bytes + 63) / 64, {});
        pool_.reuse();
        close_window();
    }

private:
    Window window_at(std::uint64_t) override { return {0, lines_.size() * 64, lines_.data()}; }
    void found(const RaceFound& race) override { reporter_.report(race, true); }

    const RaceReporter& reporter_;
    std::vector<ShadowLine> lines_;
};

}  // namespace cudash::virtual_gpu
