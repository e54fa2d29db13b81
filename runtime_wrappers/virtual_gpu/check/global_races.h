// Races in global memory, within and between the blocks of a launch.
#pragma once

#include <bit>

#include "runtime_wrappers/virtual_gpu/check/chunked.h"
#include "runtime_wrappers/virtual_gpu/check/race_report.h"

namespace cudash::virtual_gpu {

class GlobalRaces final : public RaceShadow {
public:
    explicit GlobalRaces(const RaceReporter& reporter) : reporter_(reporter) {}
    void begin_launch() {
        ++launch_;
        close_window();
    }
    /// `visit(address, mine, theirs)` for words that were accessed here and there in this launch, whose first segments
    /// are `floor` and `other_floor`.
    template <class Visit>
    void for_each_common_word(std::uint32_t floor, GlobalRaces& other, std::uint32_t other_floor, Visit visit) {
        chunks_.for_each([&](std::uint64_t begin, const Chunk& chunk) {
            if (chunk.launch != launch_) return;
            const Chunk* const there = other.chunks_.find(begin);
            if (!there || there->launch != other.launch_) return;
            for (std::size_t line = 0; line < lines; ++line) {
                // Most lines belong to one half alone: the other one's is whole, and old.
                if (chunk.is_old(line, floor) || there->is_old(line, other_floor)) continue;
                std::uint32_t both = chunk.accessed(line, floor) & there->accessed(line, other_floor);
                for (; both != 0; both &= both - 1) {
                    const auto k = static_cast<std::size_t>(std::countr_zero(both));
                    visit(begin + line * 64 + k * 4, chunk.of_word(line, k), there->of_word(line, k));
                }
            }
        });
    }
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
        std::uint64_t launch;  ///< the last one that touched it

        bool is_old(std::size_t line, std::uint32_t floor) const {
            const ShadowLine& all = lines[line];
            return !split[line] && all.write.segment() < floor && all.read.segment() < floor &&
                   all.other_read.segment() < floor;
        }
        /// Words of a line, one bit each, of whose stamps some segment is not below the floor.
        std::uint32_t accessed(std::size_t line, std::uint32_t floor) const {
            const auto is_new = [&](Stamp stamp) { return stamp.segment() >= floor; };
            const ShadowLine& all = lines[line];
            if (!split[line]) return is_new(all.write) || is_new(all.read) || is_new(all.other_read) ? 0xFFFF : 0;
            std::uint32_t mask = 0;
            for (std::size_t k = 0; k < 16; ++k) mask |= std::uint32_t{is_new(write[line * 16 + k])} << k;
            if (!any_read) return mask;
            for (std::size_t k = 0; k < 16; ++k)
                mask |= std::uint32_t{is_new(read[line * 16 + k]) || is_new(other_read[line * 16 + k])} << k;
            return mask;
        }
        ShadowLine of_word(std::size_t line, std::size_t k) const {
            const ShadowLine& all = lines[line];
            if (!split[line]) return {all.write.of_word(k), all.read.of_word(k), all.other_read.of_word(k)};
            const std::size_t at = line * 16 + k;
            return {write[at], read[at], other_read[at]};
        }
    };
    Window window_at(std::uint64_t address) override {
        Chunk& chunk = chunks_.at(address);
        chunk.launch = launch_;
        return {address / chunk_bytes * chunk_bytes,
                chunk_bytes,
                {chunk.lines, chunk.split, chunk.write, chunk.read, chunk.other_read, &chunk.any_read}};
    }
    void found(const RaceFound& race) override { reporter_.report(race, false); }

    const RaceReporter& reporter_;
    Chunked<Chunk> chunks_;
    std::uint64_t launch_ = 0;
};

}  // namespace cudash::virtual_gpu
