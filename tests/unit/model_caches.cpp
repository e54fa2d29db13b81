// Shared memory carve-out, L1, L2 with its set-aside, and DRAM partitions: the documents' numbers.
#include <doctest/doctest.h>

#include "runtime_wrappers/virtual_gpu/model/caches/l1_cache.h"
#include "runtime_wrappers/virtual_gpu/model/caches/l2_cache.h"
#include "runtime_wrappers/virtual_gpu/model/carveout.h"
#include "runtime_wrappers/virtual_gpu/model/divergence.h"
#include "runtime_wrappers/virtual_gpu/model/dram_partitions.h"
#include "runtime_wrappers/virtual_gpu/model/occupancy.h"

using namespace cudash::virtual_gpu;

namespace {

constexpr std::uint32_t KiB = 1024;

const Profile& profile(std::string_view name) {
    return *find_profile(name);
}

/// Reads [base, base + bytes) line by line and returns how many bytes were hits.
std::uint64_t sweep(L2Cache& l2, const AccessPolicyWindow& window, std::uint64_t base, std::uint64_t bytes) {
    const std::uint64_t before = l2.counts().hits;
    for (std::uint64_t at = base; at < base + bytes; at += L2Cache::line_bytes) l2.access(at, window);
    return (l2.counts().hits - before) * L2Cache::line_bytes;
}

}  // namespace

TEST_CASE("carve-out: 48/16 and 16/48 on 2.x, 32/32 too on 3.x") {
    using enum CachePreference;
    const auto split = [](const char* name, CachePreference preference, std::uint32_t shared) {
        const OnChipSplit found = split_for(profile(name), preference, shared);
        return std::pair{found.shared / KiB, found.l1 / KiB};
    };
    using Pair = std::pair<std::uint32_t, std::uint32_t>;
    for (const char* name : {"c2050", "k20"}) {
        CAPTURE(name);
        CHECK(split(name, none, 0) == Pair{48, 16});
        CHECK(split(name, shared, 0) == Pair{48, 16});
        CHECK(split(name, l1, 0) == Pair{16, 48});
        CHECK(split(name, l1, 16 * KiB) == Pair{16, 48});
        CHECK(split(name, l1, 33 * KiB) == Pair{48, 16});  // the kernel needs more than the preference leaves
    }
    CHECK(split("k20", equal, 0) == Pair{32, 32});
    CHECK(split("k20", l1, 17 * KiB) == Pair{32, 32});
    CHECK(split("c2050", equal, 0) == Pair{48, 16});
    CHECK(split("tesla-c1060", l1, 0) == Pair{16, 0});
    CHECK(split("textbook-d", none, 0) == Pair{16, 48});
}

TEST_CASE("carve-out: how many blocks of 12 KB the splits let be resident") {
    const auto blocks = [](const char* name, CachePreference preference) {
        const std::uint32_t shared = 12 * KiB;
        return occupancy(profile(name), {.threads = 128,
                                         .registers_per_thread = 16,
                                         .static_shared = shared,
                                         .shared_capacity = split_for(profile(name), preference, shared).shared})
            .blocks;
    };
    using enum CachePreference;
    CHECK(blocks("c2050", shared) == 4);
    CHECK(blocks("c2050", l1) == 1);
    CHECK(blocks("k20", shared) == 4);
    CHECK(blocks("k20", equal) == 2);
    CHECK(blocks("k20", l1) == 1);
}

TEST_CASE("carve-out: percentages round up to a split of the generation, and one block always fits") {
    const auto shared = [](const char* name, unsigned percent, std::uint32_t block = 0) {
        return split_for_carveout(profile(name), percent, block).shared / KiB;
    };
    CHECK(shared("v100", 50) == 64);
    CHECK(shared("v100", 0) == 0);
    CHECK(shared("v100", 100) == 96);
    CHECK(shared("a100", 50) == 100);
    CHECK(shared("rtx3090", 64) == 64);
    CHECK(shared("rtx3090", 65) == 100);
    CHECK(shared("h200", 50) == 132);
    CHECK(shared("h200", 100) == 228);
    CHECK(shared("h200", 0, 1) == 8);  // and 1 KB that is reserved
    CHECK(shared("h200", 0, 227 * KiB) == 228);
    CHECK(default_split(profile("h200"), 0, 8).shared == 0);
    CHECK(default_split(profile("h200"), 16 * KiB, 6).shared == 132 * KiB);
    for (const Profile& p : profiles()) CHECK(on_chip_splits(p).back().shared == p.shared_per_multiprocessor);
}

TEST_CASE("L2: a window of 32 KB, a set-aside of 16 KB, hitRatio 0.5 and 1.0") {
    // An L2 of 64 KB; between the kernels that read the window, others stream 256 KB through.
    const std::uint64_t base = 1 << 20, other = 1 << 24;
    const AccessPolicyWindow nothing;
    AccessPolicyWindow window{base, 32 * KiB, 0.5};

    L2Cache half(64 * KiB, 16 * KiB);
    sweep(half, window, base, 32 * KiB);
    CHECK(half.bytes(AccessProperty::persisting) == 16 * KiB);  // 16 of the 32 KB persist
    sweep(half, nothing, other, 256 * KiB);
    CHECK(half.bytes_of(base, 32 * KiB) == 16 * KiB);
    for (int kernel = 0; kernel < 5; ++kernel) {
        CHECK(sweep(half, window, base, 32 * KiB) == 16 * KiB);
        sweep(half, nothing, other, 256 * KiB);
    }
    CHECK(half.counts().persisting_evictions == 0);

    window.hit_ratio = 1.0;
    L2Cache whole(64 * KiB, 16 * KiB);
    sweep(whole, window, base, 32 * KiB);
    // All of it wants to persist: the 16 KB read last are kept, and each kernel evicts what it is about to read.
    CHECK(whole.bytes(AccessProperty::persisting) == 16 * KiB);
    CHECK(whole.bytes_of(base + 16 * KiB, 16 * KiB) == 16 * KiB);
    CHECK(whole.bytes_of(base, 16 * KiB) == 0);
    CHECK(whole.counts().persisting_evictions == 16 * KiB / 128);
    sweep(whole, nothing, other, 256 * KiB);
    for (int kernel = 0; kernel < 5; ++kernel) {
        CHECK(sweep(whole, window, base, 32 * KiB) == 0);
        sweep(whole, nothing, other, 256 * KiB);
    }
}

TEST_CASE("L2: two windows of 16 KB at once in a set-aside of 16 KB") {
    const std::uint64_t a = 1 << 20, b = 1 << 21;
    const auto hits_after_warm_up = [&](double ratio) {
        const AccessPolicyWindow first{a, 16 * KiB, ratio}, second{b, 16 * KiB, ratio};
        const AccessPolicyWindow nothing;
        L2Cache l2(64 * KiB, 16 * KiB);
        std::uint64_t hits = 0;
        for (int round = 0; round < 4; ++round) {
            std::uint64_t found = 0;
            for (std::uint64_t at = 0; at < 16 * KiB; at += 128)  // the kernels run at the same time
                found += 128 * (l2.access(a + at, first) + l2.access(b + at, second));
            if (round == 3) hits = found;
            sweep(l2, nothing, 1 << 24, 256 * KiB);
        }
        return std::pair{hits, l2.counts().persisting_evictions};
    };
    const auto [evicting, evictions] = hits_after_warm_up(1.0);
    CHECK(evicting == 0);
    CHECK(evictions > 0);
    const auto [sharing, none] = hits_after_warm_up(0.5);
    CHECK(sharing == 16 * KiB);
    CHECK(none == 0);
}

TEST_CASE("L2: what accesses say decides who goes first") {
    using enum AccessProperty;
    L2Cache l2(1 * KiB, 512);  // 8 lines, 4 of them for persisting accesses
    const auto line = [](unsigned n) { return std::uint64_t{n} * 128; };
    for (unsigned n = 0; n < 4; ++n) l2.access(line(n), normal);
    for (unsigned n = 4; n < 8; ++n) l2.access(line(n), streaming);
    l2.access(line(8), normal);
    CHECK_FALSE(l2.holds(line(4)));  // the oldest streaming line, though normal ones are older
    CHECK(l2.holds(line(0)));
    // Normal accesses use the set-aside while nobody persists; persisting ones take it back.
    for (unsigned n = 20; n < 24; ++n) l2.access(line(n), persisting);
    CHECK(l2.bytes(persisting) == 512);
    for (unsigned n = 30; n < 60; ++n) l2.access(line(n), normal);
    for (unsigned n = 20; n < 24; ++n) CHECK(l2.holds(line(n)));
    // A normal access takes the persistence away; one outside any window does not.
    l2.access(line(20), none);
    CHECK(l2.bytes(persisting) == 512);
    l2.access(line(20), normal);
    CHECK(l2.bytes(persisting) == 384);
    l2.reset_persisting();
    CHECK(l2.bytes(persisting) == 0);
    CHECK(l2.holds(line(21)));
    for (unsigned n = 60; n < 90; ++n) l2.access(line(n), normal);
    CHECK_FALSE(l2.holds(line(21)));
}

TEST_CASE("L2: a window's share is exact, spread, and the same in every run") {
    for (double ratio : {0.0, 0.25, 0.5, 0.6, 0.75, 1.0}) {
        const AccessPolicyWindow window{1 << 20, 1 << 20, ratio};
        std::uint64_t persisting = 0, longest = 0, run = 0;
        for (std::uint64_t at = window.base; at < window.base + window.bytes; at += 128) {
            const bool chosen = window.property_of(at) == AccessProperty::persisting;
            persisting += chosen;
            run = chosen ? run + 1 : 0;
            longest = std::max(longest, run);
        }
        CHECK(persisting == static_cast<std::uint64_t>(8192 * ratio));
        if (ratio == 0.5) CHECK(longest < 64);
    }
    const AccessPolicyWindow window{1024, 512, 1.0};
    CHECK(window.property_of(1023) == AccessProperty::none);
    CHECK(window.property_of(1536) == AccessProperty::none);
}

TEST_CASE("L1: sectors, lines and stores") {
    const WarpAccess load = WarpAccess::strided(0, 4, 8);  // one word of each sector of 1 KB
    WarpAccess store = load;
    store.store = true;
    const auto run = [](L1Cache& l1, const Coalescing& c, bool is_store) {
        for (const MemoryTransaction& each : c.transactions) l1.access(each, is_store);
    };
    L1Cache modern(profile("h200"), 16 * KiB);
    run(modern, coalesce(profile("h200"), load), false);
    CHECK(modern.counts().sectors == 32);
    CHECK(modern.counts().hits == 0);
    run(modern, coalesce(profile("h200"), store), true);
    run(modern, coalesce(profile("h200"), load), false);
    CHECK(modern.counts().hits == 32);
    CHECK(modern.counts().to_l2 == 64);

    L1Cache fermi(profile("c2050"), 16 * KiB);
    run(fermi, coalesce(profile("c2050"), load), false);
    CHECK(fermi.counts().to_l2 == 32);
    run(fermi, coalesce(profile("c2050"), load), false);
    CHECK(fermi.counts().to_l2 == 32);
    run(fermi, coalesce(profile("c2050"), store), true);
    run(fermi, coalesce(profile("c2050"), load), false);
    CHECK(fermi.counts().to_l2 == 96);

    L1Cache absent(profile("tesla-c1060"), 0);
    run(absent, coalesce(profile("h200"), load), false);
    run(absent, coalesce(profile("h200"), load), false);
    CHECK(absent.counts().hits == 0);

    L1Cache small(profile("h200"), 512);  // 4 lines: a sweep over 8 finds nothing again
    run(small, coalesce(profile("h200"), load), false);
    run(small, coalesce(profile("h200"), load), false);
    CHECK(small.counts().hits == 0);
}

TEST_CASE("partitions: the document's example of two partitions and tiles 128 bytes wide") {
    const DramPartitions two{2, 256};
    // A matrix of 4 x 4 tiles of 32 x 32 floats: a row is 512 bytes, and begins in partition 0.
    const TiledMatrix matrix{0, 512, 32, 128};
    const auto load = [&](BlockOrder order, bool transposed, std::uint64_t first, std::uint64_t count) {
        return tile_load(two, matrix, order, transposed, first, count, 4, 4);
    };
    // Thread blocks 0 to 3 write the transposed tiles: all in one partition, or two and two.
    const PartitionLoad camped = load(BlockOrder::cartesian, true, 0, 4);
    CHECK(camped.used() == 1);
    CHECK(camped.camping() == 2.0);
    const PartitionLoad even = load(BlockOrder::diagonal, true, 0, 4);
    CHECK(even.used() == 2);
    CHECK(even.bytes()[0] == even.bytes()[1]);
    CHECK(even.camping() == 1.0);
    // Reading is even in both orders.
    CHECK(load(BlockOrder::cartesian, false, 0, 4).camping() == 1.0);
    CHECK(load(BlockOrder::diagonal, false, 0, 4).camping() == 1.0);
}

TEST_CASE("partitions: a transpose of 2048 x 2048 floats on a Tesla C1060") {
    const Profile& p = profile("tesla-c1060");
    const DramPartitions eight = dram_partitions(p);
    CHECK(eight.count == 8);
    CHECK(has_partition_camping(p));
    CHECK_FALSE(has_partition_camping(profile("rtx3090")));
    const TiledMatrix matrix{0, 2048 * 4, 16, 64};  // 16 x 16 blocks, 128 x 128 of them
    const std::uint64_t resident = 30 * 4;
    for (std::uint64_t first = 0; first + resident <= 128 * 128; first += resident) {
        const auto camping = [&](BlockOrder order, bool transposed) {
            return tile_load(eight, matrix, order, transposed, first, resident, 128, 128).camping();
        };
        CHECK(camping(BlockOrder::cartesian, true) >= 4.0);
        CHECK(camping(BlockOrder::diagonal, true) <= 1.4);
        CHECK(camping(BlockOrder::diagonal, false) <= 1.4);
    }
}

TEST_CASE("partitions: orders visit every tile once") {
    CHECK(tile_of(BlockOrder::cartesian, 5, 4, 4) == TilePlace{1, 1});
    // (blockIdx.x + blockIdx.y) % gridDim.x, blockIdx.x
    CHECK(tile_of(BlockOrder::diagonal, 5, 4, 4) == TilePlace{2, 1});
    for (auto [x, y] : {std::pair{4u, 4u}, {6u, 4u}, {3u, 8u}, {1u, 5u}, {5u, 1u}}) {
        std::vector<int> seen(std::size_t{x} * y);
        for (std::uint64_t block = 0; block < seen.size(); ++block) {
            const TilePlace tile = tile_of(BlockOrder::diagonal, block, x, y);
            ++seen[std::size_t{tile.y} * x + tile.x];
        }
        for (int count : seen) CHECK(count == 1);
    }
}

TEST_CASE("divergence: paths of a warp") {
    std::uint64_t targets[32] = {};
    CHECK_FALSE(branch_of(targets, ~0u).divergent());
    for (unsigned lane = 0; lane < 32; ++lane) targets[lane] = lane % 4;
    const Branch branch = branch_of(targets, 0xFFFF'FFFE);
    CHECK(branch.paths.size() == 4);
    CHECK(branch.paths[0].target == 1);
    CHECK(branch.paths[3].lanes == 0x1111'1110);
    CHECK_FALSE(branch_of(targets, 0x1111'1111).divergent());
    CHECK(branch_of(targets, 0).paths.empty());
    const Activity half{10, 160};
    CHECK(half.lanes_per_instruction() == 16.0);
    CHECK(half.efficiency() == 0.5);
}
