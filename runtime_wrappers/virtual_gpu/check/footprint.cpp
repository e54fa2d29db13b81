#include "runtime_wrappers/virtual_gpu/check/footprint.h"

#include <bit>
#include <span>
#include <utility>

namespace cudash::virtual_gpu {
namespace {

constexpr std::size_t most_extents = 1 << 16;

/// Visits the bits that are set, and clears them.
template <class Visit>
void for_each_bit(std::span<std::uint64_t> words, Visit visit) {
    for (std::size_t i = 0; i < words.size(); ++i)
        for (; words[i] != 0; words[i] &= words[i] - 1)
            visit(i * 64 + static_cast<unsigned>(std::countr_zero(words[i])));
}

}  // namespace

std::vector<Extent> Footprint::take(Use use) {
    Map& map = maps_[static_cast<std::size_t>(use)];
    std::vector<Extent> taken;
    const auto append = [&](std::uint64_t begin, std::uint64_t end, std::uint32_t site) {
        if (!taken.empty() && taken.back().end == begin && taken.back().site == site)
            taken.back().end = end;
        else if (taken.size() < most_extents)
            taken.push_back({begin, end, site});
    };
    std::sort(map.used.begin(), map.used.end());
    for (const std::uint64_t base : map.used) {
        Chunk& chunk = map.chunks.at(base);
        for_each_bit(chunk.groups, [&](std::uint64_t group) {
            for_each_bit(std::span(&chunk.dirty[group], 1), [&](std::uint64_t bit) {
                const std::uint64_t word = group * 64 + bit;
                std::uint64_t bits = std::exchange(chunk.words[word], 0);
                for (std::uint64_t at = base + word * 64; bits != 0;) {
                    const auto gap = static_cast<unsigned>(std::countr_zero(bits));
                    bits >>= gap;
                    at += gap;
                    const auto run = static_cast<unsigned>(std::countr_one(bits));
                    append(at, at + run, chunk.sites[word]);
                    if (run == 64) break;
                    bits >>= run;
                    at += run;
                }
            });
        });
        chunk.used = false;
    }
    map.used.clear();
    return taken;
}

}  // namespace cudash::virtual_gpu
