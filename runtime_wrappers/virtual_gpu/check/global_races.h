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
        close_window();
    }

private:
    static constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << Chunked<int>::shift;
    static constexpr std::size_t lines = chunk_bytes / 64, words = chunk_bytes / 4;
    /// Pages that nobody touches take no memory.
    struct Chunk {
        ShadowLine lines[GlobalRaces::lines];
        std::uint8_t split[GlobalRaces::lines];
        Stamp write[words], read[words], other_read[words];
        bool any_read;
    };
    Window window_at(std::uint64_t address) override {
        Chunk& chunk = chunks_.at(address);
        return {address / chunk_bytes * chunk_bytes,
                chunk_bytes,
                {chunk.lines, chunk.split, chunk.write, chunk.read, chunk.other_read, &chunk.any_read}};
    }
    void found(const RaceFound& race) override { reporter_.report(race, false); }

    const RaceReporter& reporter_;
    Chunked<Chunk> chunks_;
};

}  // namespace cudash::virtual_gpu
