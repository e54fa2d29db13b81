// Caches fed by launches: what a host thread keeps of its blocks' accesses, and what L2 makes of all of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "runtime_wrappers/virtual_gpu/profile/cache_model.h"

using namespace cudash::virtual_gpu;

namespace {

constexpr std::uint64_t base = 0x2000'0000'0000;

const Profile& h200() {
    return *find_profile("h200");
}

/// Warps of 32 neighbours of 4 bytes that walk over `bytes` from `from`, `warps` of them in a block.
void walk(LineTrace& trace, std::uint64_t block, std::uint64_t from, std::uint64_t bytes, AccessKind kind) {
    trace.block_begins(block);
    for (std::uint64_t at = 0; at < bytes; at += 128) trace.progression(from + at, 64, 4, 4, ~0u, kind);
}

CacheModel::Result follow(CacheModel& caches, const LineTrace& trace, const LaunchContext& context = {}) {
    const LineTrace* const all[] = {&trace};
    return caches.follow(all, h200(), context, 1, 0);
}

}  // namespace

TEST_CASE("caches: a block finds in L1 what it has read") {
    LineTrace trace;
    trace.begin(32768, false);
    trace.block_begins(0);
    trace.progression(base, 64, 4, 4, ~0u, AccessKind::load);
    CHECK(trace.counts().l1_sectors == 4);
    CHECK(trace.counts().l1_hits == 0);
    CHECK(trace.counts().reads == 4);
    trace.progression(base, 64, 4, 4, ~0u, AccessKind::load, 3);
    CHECK(trace.counts().l1_sectors == 16);
    CHECK(trace.counts().l1_hits == 12);
    CHECK(trace.counts().reads == 4);
    // Stores go to L2; those of whole sectors are not partial ones.
    trace.progression(base, 64, 4, 4, ~0u, AccessKind::store);
    CHECK(trace.counts().writes == 4);
    CHECK(trace.counts().partial == 0);
    trace.progression(base, 512, 32, 4, ~0u, AccessKind::store);
    CHECK(trace.counts().writes == 36);
    CHECK(trace.counts().partial == 32);
}

TEST_CASE("caches: columns are stored as lane by lane") {
    LineTrace columns, lanes;
    columns.begin(0, false);
    lanes.begin(0, false);
    columns.block_begins(0);
    lanes.block_begins(0);
    columns.progression(base, 16 * 4096, 4096, 4, ~0u, AccessKind::store);
    std::uint64_t addresses[32];
    for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = base + lane * 4096;
    lanes.scattered(addresses, ~0u, 4, AccessKind::store);
    CHECK(columns.counts().lines == lanes.counts().lines);
    CHECK(columns.counts().writes == lanes.counts().writes);
    CHECK(columns.counts().partial == lanes.counts().partial);
    REQUIRE(columns.entries().size() == lanes.entries().size());
    for (std::size_t i = 0; i < lanes.entries().size(); ++i)
        CHECK(columns.entries()[i].packed == lanes.entries()[i].packed);
}

TEST_CASE("caches: of the lines of a set those go that were not used for longest") {
    constexpr std::uint64_t sets = 8, ways = 4;
    LineTrace trace;
    trace.begin(sets * ways * 128, false);
    std::vector<std::vector<std::uint64_t>> expected(sets);  // last used first
    std::minstd_rand random(1);
    std::uint64_t misses = 0;
    for (unsigned block = 0; block < 3; ++block) {
        trace.block_begins(block);
        for (auto& set : expected) set.clear();
        for (unsigned n = 0; n < 2000; ++n) {
            const std::uint64_t line = base / 128 + random() % 48, address = line * 128;
            trace.scattered(&address, 1, 4, AccessKind::load);
            auto& set = expected[(line ^ line >> 7) % sets];
            const auto found = std::ranges::find(set, line);
            misses += found == set.end();
            if (found != set.end()) set.erase(found);
            set.insert(set.begin(), line);
            if (set.size() > ways) set.pop_back();
        }
        CHECK(trace.counts().reads == misses);
    }
}

TEST_CASE("caches: warps in lockstep are as one after the other") {
    std::vector<Instruction> code(3);
    for (std::uint32_t k = 0; k < code.size(); ++k) code[k].cache = k;
    for (const std::uint64_t bytes : {2048u, 32768u}) {
        LineTrace together, single;
        together.begin(bytes, false);
        single.begin(bytes, false);
        std::minstd_rand random(1);
        BlockAccessRecord last[3];
        for (unsigned n = 0; n < 20000; ++n) {
            if (n % 1000 == 0) {
                together.block_begins(n);
                single.block_begins(n);
            }
            const std::uint32_t k = random() % 3;
            BlockAccessRecord& record = last[k];
            // Mostly a walk along rows, as in a matrix product.
            record.first += 4;
            if (random() % 8 == 0 || record.size == 0) {
                constexpr std::int64_t halves[] = {0, 64, 2048, 36, 4096}, warps[] = {0, 128, 4096, 8192, 20};
                record.size = 4;
                record.first = base + random() % 64 * 32;
                record.step = random() % 3 * 4;
                record.half = halves[random() % 5];
                record.warp = warps[random() % 5];
                record.last_warp = random() % 8;
                // Stores of all warps to one place are one entry.
                record.kind = record.warp != 0 && random() % 8 == 0 ? AccessKind::store : AccessKind::load;
            }
            record.instruction = &code[k];
            together.block(record);
            for (std::uint32_t warp = 0; warp <= record.last_warp; ++warp)
                single.progression(record.first + warp * static_cast<std::uint64_t>(record.warp), record.half,
                                   record.step, 4, ~0u, record.kind);
            REQUIRE(together.counts().lines == single.counts().lines);
            REQUIRE(together.counts().l1_sectors == single.counts().l1_sectors);
            REQUIRE(together.counts().l1_hits == single.counts().l1_hits);
        }
        CHECK(single.counts().l1_hits > single.counts().l1_sectors / 10);
        CHECK(together.counts().reads == single.counts().reads);
        CHECK(together.counts().writes == single.counts().writes);
        CHECK(std::ranges::equal(together.entries(), single.entries(), {}, &LineTrace::Entry::packed,
                                 &LineTrace::Entry::packed));
    }
}

TEST_CASE("caches: L2 keeps what launches before had, as much as there is room for") {
    CacheModel caches;
    for (const bool again : {false, true}) {
        LineTrace trace;
        trace.begin(0, false);
        walk(trace, 0, base, 1 << 20, AccessKind::load);
        const CacheCounts counts = follow(caches, trace).counts;
        CHECK(counts.l2_reads == (1 << 20) / 32);
        CHECK(counts.sampled == 1);
        CHECK(counts.l2_hits == (again ? (1 << 20) / 32 : 0));
        CHECK(counts.dram_reads == (again ? 0 : (1 << 20) / 32));
    }
}

TEST_CASE("caches: the result does not depend on who ran which block, nor does the sample") {
    constexpr std::uint64_t blocks = 600, bytes = 1 << 16;  // more lines than are kept
    std::vector<CacheCounts> found;
    for (const unsigned threads : {1u, 2u, 5u}) {
        std::vector<LineTrace> traces(threads);
        for (LineTrace& trace : traces) trace.begin(4096, false);
        for (std::uint64_t block = 0; block < blocks; ++block) {
            LineTrace& own = traces[block * block % threads];
            walk(own, block, base + block % 37 * bytes, bytes, AccessKind::load);
            walk(own, block, base + (block + 100) * bytes, bytes / 4, AccessKind::store);
        }
        std::vector<const LineTrace*> all;
        for (const LineTrace& trace : traces) all.push_back(&trace);
        CacheModel caches;
        found.push_back(caches.follow(all, h200(), {}, blocks, 65536).counts);
    }
    CHECK(found[0].sampled > 1);
    for (const CacheCounts& each : found) {
        CHECK(each.sampled == found[0].sampled);
        CHECK(each.l1_hits == found[0].l1_hits);
        CHECK(each.l2_reads == found[0].l2_reads);
        CHECK(each.l2_hits == found[0].l2_hits);
        CHECK(each.dram_reads == found[0].dram_reads);
        CHECK(each.dram_writes == found[0].dram_writes);
    }
    // 37 pieces of 64 KB fit in L2: each is fetched once.
    CHECK(found[0].dram_reads == doctest::Approx(37 * bytes / 32).epsilon(0.05));
}

TEST_CASE(
    "caches: a persisting window of 16 KB stays while 100 MB stream by; one of 32 KB at hitRatio 0.5 keeps half") {
    for (const bool half : {false, true}) {
        const std::uint64_t window = half ? 32768 : 16384;
        CacheModel caches;
        LaunchContext context;
        context.set_aside = 16384;
        context.window = {base, window, half ? 0.5 : 1.0, AccessProperty::persisting, AccessProperty::streaming};
        LineTrace touch;
        touch.begin(0, false);
        walk(touch, 0, base, window, AccessKind::load);
        CHECK(follow(caches, touch, context).contents.persisting == 16384);
        LaunchContext plain;
        plain.set_aside = 16384;
        for (unsigned piece = 0; piece < 10; ++piece) {
            LineTrace stream;
            stream.begin(0, false);
            walk(stream, 0, base + (1 << 26) + piece * (10ull << 20), 10 << 20, AccessKind::load);
            follow(caches, stream, plain);
        }
        const CacheModel::Result again = follow(caches, touch, context);
        CHECK(again.counts.l2_hits == 16384 / 32);
        CHECK(again.contents.of_window >= 16384);
    }
}
