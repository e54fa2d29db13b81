// Races in global memory, within and between the blocks of a launch.
#pragma once

#include "runtime_wrappers/virtual_gpu/check/chunked.h"
#include "runtime_wrappers/virtual_gpu/check/race_report.h"

namespace cudash::virtual_gpu {

class GlobalRaces final : public RaceShadow {
public:
    explicit GlobalRaces(const RaceReporter& reporter) : reporter_(reporter) {}
    void start_over() {
        chunks_.clear();
        pool_.clear();
        close_window();
    }

private:
    static constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << Chunked<int>::shift;
    struct Chunk {
        ShadowLine lines[chunk_bytes / 64];
    };
    Window window_at(std::uint64_t address) override {
        return {address / chunk_bytes * chunk_bytes, chunk_bytes, chunks_.at(address).lines};
    }
    void found(const RaceFound& race) override { reporter_.report(race, false); }

    const RaceReporter& reporter_;
    Chunked<Chunk> chunks_;
};

}  // namespace cudash::virtual_gpu
