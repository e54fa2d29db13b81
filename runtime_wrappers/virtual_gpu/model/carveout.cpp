#include "runtime_wrappers/virtual_gpu/model/carveout.h"

#include <algorithm>
#include <array>

#include "runtime_wrappers/virtual_gpu/model/occupancy.h"

namespace cudash::virtual_gpu {
namespace {

constexpr OnChipSplit kib(std::uint32_t shared, std::uint32_t l1) {
    return {shared * 1024, l1 * 1024};
}

// Programming Guide 4.2, F.3.1 ("local and global memory spaces [...] are not cached"), F.4.1 and F.5.1; Programming
// Guide 11, K.3 (3.7), K.4 and K.5 (shared memory of its own, and 24 or 48 KB of L1), K.6 to K.8; 13, the table of 9.0.
constexpr std::array cc_1_0 = {kib(16, 0)};
constexpr std::array cc_2_0 = {kib(16, 48), kib(48, 16)};
constexpr std::array cc_3_0 = {kib(16, 48), kib(32, 32), kib(48, 16)};
constexpr std::array cc_3_7 = {kib(80, 48), kib(96, 32), kib(112, 16)};
constexpr std::array cc_5_0 = {kib(64, 24)};
constexpr std::array cc_5_2 = {kib(96, 48)};
constexpr std::array cc_6_0 = {kib(64, 24)};
constexpr std::array cc_6_1 = {kib(96, 48)};
constexpr std::array cc_7_0 = {kib(0, 128), kib(8, 120), kib(16, 112), kib(32, 96), kib(64, 64), kib(96, 32)};
constexpr std::array cc_7_5 = {kib(32, 64), kib(64, 32)};
constexpr std::array cc_8_0 = {kib(0, 192),  kib(8, 184),  kib(16, 176), kib(32, 160),
                               kib(64, 128), kib(100, 92), kib(132, 60), kib(164, 28)};
constexpr std::array cc_8_6 = {kib(0, 128), kib(8, 120), kib(16, 112), kib(32, 96), kib(64, 64), kib(100, 28)};
constexpr std::array cc_9_0 = {kib(0, 256),   kib(8, 248),   kib(16, 240), kib(32, 224), kib(64, 192),
                               kib(100, 156), kib(132, 124), kib(164, 92), kib(196, 60), kib(228, 28)};

struct Row {
    unsigned cc;  ///< first compute capability, 10 * major + minor
    std::span<const OnChipSplit> splits;
};
constexpr std::array rows = {
    Row{10, cc_1_0}, Row{20, cc_2_0}, Row{30, cc_3_0}, Row{37, cc_3_7}, Row{50, cc_5_0},
    Row{52, cc_5_2}, Row{60, cc_6_0}, Row{61, cc_6_1}, Row{70, cc_7_0}, Row{75, cc_7_5},
    Row{80, cc_8_0}, Row{86, cc_8_6}, Row{90, cc_9_0},
};

/// The split with the least shared memory that has `bytes` of it; the one with the most if none has.
OnChipSplit least_with(std::span<const OnChipSplit> splits, std::uint64_t bytes) {
    for (const OnChipSplit& split : splits)
        if (split.shared >= bytes) return split;
    return splits.back();
}

}  // namespace

std::span<const OnChipSplit> on_chip_splits(const Profile& profile) {
    const unsigned cc = profile.cc_major * 10 + profile.cc_minor;
    std::span<const OnChipSplit> found = rows.front().splits;
    for (const Row& row : rows)
        if (row.cc <= cc) found = row.splits;
    // A multiprocessor with less than its generation's (the textbook's device D): what it has, and no choice.
    const auto fits = [&](const OnChipSplit& split) { return split.shared <= profile.shared_per_multiprocessor; };
    const auto count = static_cast<std::size_t>(std::ranges::find_if_not(found, fits) - found.begin());
    return found.first(std::max<std::size_t>(count, 1));
}

OnChipSplit split_for(const Profile& profile, CachePreference preference, std::uint32_t shared_per_block) {
    const auto splits = on_chip_splits(profile);
    const auto needed = allocated_shared(profile, shared_per_block);
    if (profile.cc_major >= 7) {
        switch (preference) {
            case CachePreference::none:
                break;
            case CachePreference::shared:
                return splits.back();
            case CachePreference::l1:
                return least_with(splits, shared_per_block == 0 ? 0 : needed);
            case CachePreference::equal:
                return split_for_carveout(profile, 50, shared_per_block);
        }
        return default_split(profile, shared_per_block, profile.max_blocks_per_multiprocessor);
    }
    // "The driver will honor the specified preference except when a kernel requires more shared memory per thread block
    // than available in the specified configuration." "The initial configuration is 48 KB of shared memory and 16 KB of
    // L1 cache." 2.x has no equal split: there it is not a preference.
    OnChipSplit wanted = splits.back();
    if (preference == CachePreference::l1) wanted = splits.front();
    if (preference == CachePreference::equal && splits.size() == 3) wanted = splits[1];
    return wanted.shared >= needed ? wanted : least_with(splits, needed);
}

OnChipSplit split_for_carveout(const Profile& profile, unsigned percent, std::uint32_t shared_per_block) {
    const auto splits = on_chip_splits(profile);
    // "The driver may choose a different configuration if required to execute the function"; a percentage that is no
    // configuration rounds up.
    const std::uint64_t asked = (std::uint64_t{splits.back().shared} * std::min(percent, 100u) + 99) / 100;
    const std::uint64_t needed = shared_per_block == 0 ? 0 : allocated_shared(profile, shared_per_block);
    return least_with(splits, std::max(asked, needed));
}

OnChipSplit default_split(const Profile& profile, std::uint32_t shared_per_block, unsigned resident_blocks) {
    const auto splits = on_chip_splits(profile);
    if (shared_per_block == 0) return splits.front();
    return least_with(splits, allocated_shared(profile, shared_per_block) * std::max(1u, resident_blocks));
}

}  // namespace cudash::virtual_gpu
