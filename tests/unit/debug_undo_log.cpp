// Memory that goes back: at random, bytes are written, checkpoints are added and the log returns to one of them. Memory
// must be what it was there, also where checkpoints were joined to keep within the room for copies.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "runtime_wrappers/virtual_gpu/debug/undo_log.h"
#include "runtime_wrappers/virtual_gpu/exec/block.h"

using namespace cudash::virtual_gpu;

namespace {

constexpr Address first = 0x7000'0000'0100;

/// Two allocations in one KiB, a third one behind a gap, which begins and ends in the middle of one.
std::vector<Range> ranges_over(std::vector<std::byte>& memory) {
    const auto offset = static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(memory.data()) - first);
    return {{first, first + 256, offset}, {first + 256, first + 6000, offset}, {first + 8200, first + 14000, offset}};
}

struct Log {
    Log(std::uint64_t most_bytes, unsigned seed) : random(seed), log(most_bytes, ranges) { add(); }

    void add() {
        log.add({0, ++moment});
        copies[moment] = memory;
    }
    void write() {
        const Range& range = ranges[random() % ranges.size()];
        const std::uint64_t at = range.begin + random() % (range.end - range.begin);
        const std::uint64_t bytes = std::min<std::uint64_t>(1 + random() % 1500, range.end - at);
        log.save(at, bytes);
        for (std::uint64_t i = 0; i < bytes; ++i) memory[at - first + i] = static_cast<std::byte>(random());
        for (std::size_t i = 0; i + 1 < log.count(); ++i) REQUIRE(log.at(i).moment < log.at(i + 1).moment);
        REQUIRE(log.may_write(log.count() - 1, cudash::ptx::Space::global, at, bytes));
    }
    void go_back() {
        const std::size_t to = random() % log.count();
        moment = log.at(to).moment;
        log.restore(to);
        REQUIRE(log.count() == to + 1);
        REQUIRE(memory == copies.at(moment));
    }

    std::mt19937 random;
    std::vector<std::byte> memory = std::vector<std::byte>(16384);
    std::vector<Range> ranges = ranges_over(memory);
    std::uint64_t moment = 0;
    std::map<std::uint64_t, std::vector<std::byte>> copies;
    UndoLog log;
};

}  // namespace

TEST_CASE("undo log: memory goes back to what it was at a checkpoint") {
    for (unsigned seed = 0; seed < 40; ++seed) {
        CAPTURE(seed);
        // Room for all, or for so little that checkpoints are joined.
        Log log(seed % 2 == 0 ? 1 << 20 : 24 << 10, seed);
        std::size_t most = 0;
        for (unsigned step = 0; step < 600; ++step) {
            const unsigned what = log.random() % 16;
            if (what < 11)
                log.write();
            else if (what < 15)
                log.add();
            else
                log.go_back();
            REQUIRE_FALSE(log.log.is_lost());
            most = std::max(most, log.log.count());
        }
        CHECK(most > 3);
        if (seed % 2 != 0) CHECK(log.log.bytes() <= 24 << 10);
    }
}

TEST_CASE("undo log: what lies outside of all allocations is left alone") {
    Log log(1 << 20, 1);
    log.log.save(first + 6000, 2200);
    log.log.save(first + 14000, 100);
    CHECK_FALSE(log.log.may_write(0, cudash::ptx::Space::global, first, 16384));
    log.log.save(first + 5900, 2400);
    CHECK(log.log.may_write(0, cudash::ptx::Space::global, first + 5999, 1));
    CHECK(log.log.may_write(0, cudash::ptx::Space::global, first + 8200, 1));
}
