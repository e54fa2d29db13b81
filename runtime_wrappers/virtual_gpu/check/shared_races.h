// Races in the shared memory of a block.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime_wrappers/virtual_gpu/check/race_report.h"

namespace cudash::virtual_gpu {

class SharedRaces final : public RaceShadow {
public:
    explicit SharedRaces(const RaceReporter& reporter) : reporter_(reporter) {}
    /// What other blocks left there comes before the block's first segment.
    void begin_block(std::uint32_t base, std::uint32_t bytes) {
        if (std::exchange(base_, base) != base) close_window();
        const std::size_t lines = (bytes + 63) / 64;
        if (lines <= lines_.size()) return;
        lines_.assign(lines, {});
        split_.assign(lines, 0);
        stamps_.assign(3 * 16 * lines, {});
        any_read_ = false;
        close_window();
    }

private:
    Window window_at(std::uint64_t) override {
        const std::size_t words = 16 * lines_.size();
        Stamp* const first = stamps_.data();
        return {base_, words * 4, {lines_.data(), split_.data(), first, first + words, first + 2 * words, &any_read_}};
    }
    void found(const RaceFound& race) override { reporter_.report(race, true); }

    const RaceReporter& reporter_;
    std::uint32_t base_ = 0;  ///< the address at which shared memory begins
    std::vector<ShadowLine> lines_;
    std::vector<std::uint8_t> split_;
    std::vector<Stamp> stamps_;  ///< of words: who wrote, who read, who else read
    bool any_read_ = false;
};

}  // namespace cudash::virtual_gpu
