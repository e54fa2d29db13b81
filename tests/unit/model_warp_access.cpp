// Coalescing and shared memory banks: the rules of each generation, the documents' examples, and an H200's counters.
#include <doctest/doctest.h>

#include <fstream>
#include <numeric>
#include <random>
#include <sstream>

#include "runtime_wrappers/virtual_gpu/model/global_memory/coalescing.h"
#include "runtime_wrappers/virtual_gpu/model/shared_memory/banks.h"

using namespace cudash::virtual_gpu;

namespace {

const Profile& profile(std::string_view name) {
    return *find_profile(name);
}
Profile of_cc(unsigned major, unsigned minor) {
    Profile made = unnamed_profile();
    made.cc_major = major;
    made.cc_minor = minor;
    return made;
}

std::vector<std::uint32_t> sizes(const Coalescing& c) {
    std::vector<std::uint32_t> found;
    for (const MemoryTransaction& each : c.transactions) found.push_back(each.bytes);
    return found;
}
using Sizes = std::vector<std::uint32_t>;

WarpAccess anywhere(std::mt19937& random, std::uint32_t size, unsigned among) {
    WarpAccess access;
    access.size = size;
    for (std::uint64_t& address : access.addresses) address = 4096 + random() % among * size;
    if (random() % 2) access.mask = random() | 1;
    access.store = random() % 2;
    return access;
}

}  // namespace

TEST_CASE("coalescing: which generation has which rule") {
    CHECK(coalescing_rule(of_cc(1, 0)) == CoalescingRule::words_in_sequence);
    CHECK(coalescing_rule(of_cc(1, 1)) == CoalescingRule::words_in_sequence);
    CHECK(coalescing_rule(profile("tesla-c1060")) == CoalescingRule::shrinking_segments);
    CHECK(coalescing_rule(profile("c2050")) == CoalescingRule::cache_lines);
    CHECK(coalescing_rule(profile("k20")) == CoalescingRule::cache_lines);
    CHECK(coalescing_rule(profile("gtx980")) == CoalescingRule::sectors);
    CHECK(coalescing_rule(profile("h200")) == CoalescingRule::sectors);
}

// Programming Guide 4.2, figure F-1: a warp, 4-byte words, from address 128.
TEST_CASE("coalescing: the guide's figure of aligned, sequential accesses") {
    const WarpAccess access = WarpAccess::strided(128, 4, 1);
    CHECK(sizes(coalesce(of_cc(1, 0), access)) == Sizes{64, 64});
    CHECK(sizes(coalesce(of_cc(1, 3), access)) == Sizes{64, 64});
    CHECK(sizes(coalesce(of_cc(2, 0), access)) == Sizes{128});
    CHECK(sizes(coalesce(of_cc(2, 0), access, LoadCaching::l2_only)) == Sizes{32, 32, 32, 32});
    CHECK(sizes(coalesce(of_cc(3, 5), access)) == Sizes{32, 32, 32, 32});
    CHECK(coalesce(of_cc(9, 0), access).sectors() == 4);
    CHECK(coalesce(of_cc(9, 0), access).requests.size() == 1);
}

TEST_CASE("coalescing: the guide's figure of aligned accesses out of sequence") {
    WarpAccess access = WarpAccess::strided(128, 4, 1);
    std::swap(access.addresses[3], access.addresses[5]);
    const Coalescing oldest = coalesce(of_cc(1, 1), access);
    CHECK(oldest.transactions.size() == 17);  // 16 x 32 bytes, and 64 bytes for the other half-warp
    CHECK(oldest.bytes_moved() == 16 * 32 + 64);
    CHECK_FALSE(oldest.requests[0].coalesced);
    CHECK(oldest.requests[1].coalesced);
    CHECK(sizes(coalesce(of_cc(1, 2), access)) == Sizes{64, 64});
    CHECK(sizes(coalesce(of_cc(2, 0), access)) == Sizes{128});
    CHECK(coalesce(of_cc(7, 0), access).sectors() == 4);
}

TEST_CASE("coalescing: the guide's figure of misaligned, sequential accesses") {
    const WarpAccess access = WarpAccess::strided(132, 4, 1);
    CHECK(coalesce(of_cc(1, 0), access).transactions.size() == 32);
    // 132..196 has bytes in both halves of the first segment, 196..260 in its upper half and in the next one.
    CHECK(sizes(coalesce(of_cc(1, 3), access)) == Sizes{128, 64, 32});
    CHECK(sizes(coalesce(of_cc(2, 0), access)) == Sizes{128, 128});
    CHECK(sizes(coalesce(of_cc(2, 0), access, LoadCaching::l2_only)) == Sizes{32, 32, 32, 32, 32});
    CHECK(coalesce(of_cc(9, 0), access).sectors() == 5);
}

TEST_CASE("coalescing: stores of array[n - tid - 1] are coalesced from compute capability 1.2 on") {
    const WarpAccess access = WarpAccess::strided(1024, 4, -1, 63);
    CHECK(coalesce(of_cc(1, 1), access).transactions.size() == 32);
    CHECK(sizes(coalesce(of_cc(1, 2), access)) == Sizes{64, 64});
    CHECK(coalesce(of_cc(9, 0), access).sectors() == 4);
}

TEST_CASE("coalescing 1.0: words of 4, 8 and 16 bytes, and idle threads") {
    const Profile p = of_cc(1, 0);
    CHECK(sizes(coalesce(p, WarpAccess::strided(256, 8, 1))) == Sizes{128, 128});
    CHECK(sizes(coalesce(p, WarpAccess::strided(256, 16, 1))) == Sizes{128, 128, 128, 128});
    CHECK(coalesce(p, WarpAccess::strided(256, 2, 1)).transactions.size() == 32);
    CHECK(coalesce(p, WarpAccess::strided(256, 1, 1)).transactions.size() == 32);
    WarpAccess idle = WarpAccess::strided(256, 4, 1);
    idle.mask = 0x0000'F00F;
    idle.addresses[7] = 99999;  // an idle thread may hold anything
    CHECK(sizes(coalesce(p, idle)) == Sizes{64});
    idle.mask = 0;
    CHECK(coalesce(p, idle).transactions.empty());
}

TEST_CASE("coalescing 1.2: transactions shrink to the half that is used") {
    const Profile p = of_cc(1, 3);
    WarpAccess access = WarpAccess::strided(256, 4, 1);
    access.mask = 0xFF;  // 32 bytes
    CHECK(sizes(coalesce(p, access)) == Sizes{32});
    access.mask = 0xFF00;
    const Coalescing upper = coalesce(p, access);
    CHECK(sizes(upper) == Sizes{32});
    CHECK(upper.transactions[0].address == 256 + 32);
    CHECK(sizes(coalesce(p, WarpAccess::strided(256, 4, 2))) == Sizes{128, 128});
    CHECK(sizes(coalesce(p, WarpAccess::strided(256, 1, 1))) == Sizes{32, 32});
    CHECK(sizes(coalesce(p, WarpAccess::strided(256, 2, 1))) == Sizes{32, 32});
    CHECK(sizes(coalesce(p, WarpAccess::strided(256, 16, 1))) == Sizes{128, 128, 128, 128});
    CHECK(coalesce(p, WarpAccess::strided(0, 4, 32)).bytes_moved() == 32 * 32);
}

TEST_CASE("coalescing 2.x: wide words are requests of half- and quarter-warps") {
    const Profile p = of_cc(2, 0);
    CHECK(coalesce(p, WarpAccess::strided(0, 8, 1)).requests.size() == 2);
    CHECK(sizes(coalesce(p, WarpAccess::strided(0, 8, 1))) == Sizes{128, 128});
    CHECK(coalesce(p, WarpAccess::strided(0, 16, 1)).requests.size() == 4);
    // Both half-warps want the same line, and each asks for it.
    CHECK(sizes(coalesce(p, WarpAccess::strided(0, 8, 0))) == Sizes{128, 128});
    WarpAccess store = WarpAccess::strided(0, 4, 1);
    store.store = true;
    CHECK(sizes(coalesce(p, store)) == Sizes{32, 32, 32, 32});
    CHECK(sizes(coalesce(of_cc(3, 7), WarpAccess::strided(0, 4, 1), LoadCaching::l1_and_l2)) == Sizes{128});
}

TEST_CASE("coalescing: strides, as each generation moves them") {
    for (unsigned stride = 1; stride <= 33; ++stride) {
        CAPTURE(stride);
        const WarpAccess access = WarpAccess::strided(0, 4, stride);
        CHECK(coalesce(of_cc(9, 0), access).sectors() == std::min(32u, stride * 4));
        CHECK(coalesce(of_cc(2, 0), access).transactions.size() == std::min(32u, stride));
        CHECK(coalesce(of_cc(9, 0), access).bytes_used == 128);
    }
}

TEST_CASE("coalescing: every active lane is served once, by a transaction that holds its bytes") {
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        const WarpAccess access = anywhere(random, 1u << random() % 5, 1u << random() % 12);
        for (const Profile& p : profiles()) {
            const Coalescing c = coalesce(p, access);
            std::uint32_t served = 0;
            bool right = true;
            for (const MemoryTransaction& each : c.transactions) {
                right &= each.address % each.bytes == 0;
                right &= (served & each.lanes) == 0;
                served |= each.lanes;
                for_each_active_lane(each.lanes, [&](unsigned lane) {
                    right &= access.addresses[lane] >= each.address &&
                             access.addresses[lane] + access.size <= each.address + each.bytes;
                });
            }
            REQUIRE((right && served == access.mask));
        }
        const auto counted = [](const Coalescing& c, const CoalescingCount& count) {
            return c.requests.size() == count.requests && c.transactions.size() == count.transactions &&
                   c.sectors() == count.sectors;
        };
        REQUIRE(counted(words_in_sequence(access), count_words_in_sequence(access)));
        REQUIRE(counted(shrinking_segments(access), count_shrinking_segments(access)));
        REQUIRE(counted(cache_lines(access, 128), count_cache_lines(access, 128)));
        REQUIRE(counted(cache_lines(access, 32), count_cache_lines(access, 32)));
        REQUIRE(counted(sectors(access), count_sectors(access)));
    }
}

TEST_CASE("coalescing: words of 32 bytes are two accesses where they are younger than the rule") {
    for (const Profile& p : profiles()) {
        const Coalescing c = coalesce(p, WarpAccess::strided(0, 32, 1));
        // The two have their bytes in the same transactions, and each asks for them.
        CHECK(c.bytes_used == 1024);
        CHECK(c.bytes_moved() == (p.cc_major < 5 ? 2048 : 1024));
    }
}

// "there will be no bank conflict only if [...] d is equal to 1, i.e. s is odd", d being the greatest common divisor of
// 16 (2.x and later: 32) and s.
TEST_CASE("banks: the gcd rule of strides") {
    for (unsigned stride = 1; stride <= 64; ++stride) {
        CAPTURE(stride);
        const WarpAccess access = WarpAccess::strided(0, 4, stride);
        CHECK(bank_conflicts(of_cc(1, 3), access).ways == std::gcd(16u, stride));
        CHECK(bank_conflicts(of_cc(1, 3), access).wavefronts() == 2 * std::gcd(16u, stride));
        for (const char* name : {"c2050", "gtx980", "v100", "h200"}) {
            CHECK(bank_conflicts(profile(name), access).ways == std::gcd(32u, stride));
            CHECK(bank_conflicts(profile(name), access).wavefronts() == std::gcd(32u, stride));
        }
    }
}

TEST_CASE("banks 1.x: lanes of different half-warps never conflict") {
    WarpAccess access = WarpAccess::strided(0, 4, 1);
    for (unsigned lane = 16; lane < 32; ++lane) access.addresses[lane] = 4 * (lane - 16) + 1024;
    CHECK(bank_conflicts(of_cc(1, 0), access).ways == 1);
    CHECK(bank_conflicts(of_cc(2, 0), access).ways == 2);
}

TEST_CASE("banks: the broadcast word of compute capability 1.x") {
    const Profile p = of_cc(1, 3);
    CHECK(bank_conflicts(p, WarpAccess::strided(64, 4, 0)).ways == 1);  // all read one word
    // Two words of one bank: one after the other.
    WarpAccess two = WarpAccess::strided(0, 4, 0);
    for (unsigned lane = 0; lane < 32; lane += 2) two.addresses[lane] = 64;
    CHECK(bank_conflicts(p, two).ways == 2);
    // Two words of different banks, eight readers each: the first step broadcasts one and serves one reader of the
    // other.
    for (unsigned lane = 0; lane < 32; lane += 2) two.addresses[lane] = 4;
    const BankConflicts steps = bank_conflicts(p, two);
    CHECK(steps.ways == 2);
    CHECK(steps.pass_of(0) == 0);
    CHECK(std::popcount(steps.waiting_lanes()) == 2 * 7);
    // From 2.x on both are broadcast at once.
    CHECK(bank_conflicts(of_cc(2, 0), two).ways == 1);
    // All lanes store to one place: one of each half-warp does.
    WarpAccess store = WarpAccess::strided(64, 4, 0);
    store.store = true;
    CHECK(bank_conflicts(p, store).ways == 1);
}

TEST_CASE("banks: arrays of char at tid and at 4 * tid") {
    const WarpAccess bytes = WarpAccess::strided(0, 1, 1), words = WarpAccess::strided(0, 1, 4);
    CHECK(bank_conflicts(of_cc(1, 3), bytes).ways == 4);
    CHECK(bank_conflicts(of_cc(1, 3), words).ways == 1);
    for (const char* name : {"c2050", "k20", "gtx980", "h200"}) {
        CHECK(bank_conflicts(profile(name), bytes).ways == 1);
        CHECK(bank_conflicts(profile(name), words).ways == 1);
    }
}

TEST_CASE("banks: arrays of double") {
    const WarpAccess access = WarpAccess::strided(0, 8, 1);
    // "there are 2-way bank conflicts [...] as the memory request is compiled into two separate 32-bit requests with a
    // stride of two"
    const BankConflicts oldest = bank_conflicts(of_cc(1, 3), access);
    CHECK(oldest.ways == 2);
    CHECK(oldest.requests.size() == 4);
    CHECK(oldest.wavefronts() == 8);
    CHECK(bank_conflicts(of_cc(2, 0), access).ways == 1);
    CHECK(bank_conflicts(of_cc(2, 0), access).wavefronts() == 2);
    CHECK(bank_conflicts(of_cc(3, 5), access, BankSize::eight_bytes).wavefronts() == 1);
    CHECK(bank_conflicts(of_cc(3, 5), access, BankSize::four_bytes).wavefronts() == 1);
    CHECK(bank_conflicts(of_cc(9, 0), access).wavefronts() == 2);
    CHECK(bank_conflicts(of_cc(9, 0), access).conflicts() == 0);
}

TEST_CASE("banks 2.x: 128-bit accesses add one way") {
    const BankConflicts aligned = bank_conflicts(of_cc(2, 0), WarpAccess::strided(0, 16, 1));
    CHECK(aligned.ways == 2);
    CHECK(aligned.conflicts() == 0);
    CHECK(bank_conflicts(of_cc(2, 0), WarpAccess::strided(0, 16, 2)).ways == 3);
    CHECK(bank_conflicts(of_cc(2, 0), WarpAccess::strided(0, 12 / 3, 3)).ways == 1);  // struct { float x, y, z; }
}

TEST_CASE("banks 3.x: the two modes") {
    const Profile p = profile("k20");
    const auto wavefronts = [&](const WarpAccess& access, BankSize size) {
        return bank_conflicts(p, access, size).wavefronts();
    };
    using enum BankSize;
    // A stride of two 32-bit words: 2-way on 2.x, none here in either mode; words i and i + 32 of a segment are one
    // row.
    const WarpAccess two = WarpAccess::strided(0, 4, 2);
    CHECK(bank_conflicts(of_cc(2, 0), two).ways == 2);
    CHECK(wavefronts(two, four_bytes) == 1);
    CHECK(wavefronts(two, eight_bytes) == 1);
    CHECK(wavefronts(WarpAccess::strided(0, 4, 33), four_bytes) == 1);
    CHECK(wavefronts(WarpAccess::strided(0, 4, 32), four_bytes) == 16);
    CHECK(wavefronts(WarpAccess::strided(0, 4, 32), eight_bytes) == 16);
    // Words i and i + 32, but not of one 64-word segment.
    WarpAccess across = WarpAccess::strided(0, 4, 0);
    across.mask = 3;
    across.addresses[0] = 4 * 32;
    across.addresses[1] = 4 * 64;
    CHECK(wavefronts(across, four_bytes) == 2);
    across.addresses[1] = 0;
    CHECK(wavefronts(across, four_bytes) == 1);
    CHECK(wavefronts(across, eight_bytes) == 1);
    CHECK(wavefronts(WarpAccess::strided(0, 8, 2), four_bytes) == 2);
    CHECK(wavefronts(WarpAccess::strided(0, 8, 2), eight_bytes) == 2);
    CHECK(wavefronts(WarpAccess::strided(0, 16, 1), eight_bytes) == 2);
}

TEST_CASE("banks: a column of a tile, with and without padding") {
    for (const char* name : {"c2050", "gtx980", "a100", "h200"}) {
        CHECK(bank_conflicts(profile(name), WarpAccess::strided(0, 4, 32)).conflicts() == 31);
        CHECK(bank_conflicts(profile(name), WarpAccess::strided(0, 4, 33)).conflicts() == 0);
    }
}

TEST_CASE("banks: the pictures hold every lane's bytes once, and passes do not conflict") {
    std::mt19937 random(2);
    for (int round = 0; round < 2000; ++round) {
        const WarpAccess access = anywhere(random, 1u << random() % 5, 1u << random() % 9);
        for (const Profile& p : profiles()) {
            const BankConflicts c = bank_conflicts(p, access, round % 2 ? BankSize::eight_bytes : BankSize::four_bytes);
            std::uint32_t served = 0;
            bool right = true;
            for (std::size_t i = 0; i < c.uses.size(); ++i) {
                const BankUse& use = c.uses[i];
                served |= use.lanes;
                right &= use.pass < c.requests[use.request].passes;
                right &= (use.lanes & ~c.requests[use.request].lanes) == 0;
                right &= use.bank == c.layout.bank(use.address);
                for (std::size_t k = 0; k < i; ++k) {
                    const BankUse& other = c.uses[k];
                    const bool together = other.request == use.request && other.pass == use.pass;
                    right &= !(together && other.bank == use.bank);
                }
            }
            REQUIRE((right && served == access.mask));
        }
        const auto counted = [](const BankConflicts& c, const Wavefronts& count) {
            return c.wavefronts() == count.all && c.ideal() == count.ideal;
        };
        REQUIRE(counted(broadcast_word(access), count_broadcast_word(access)));
        REQUIRE(counted(multicast(access), count_multicast(access)));
        for (BankSize size : {BankSize::four_bytes, BankSize::eight_bytes})
            REQUIRE(counted(double_width(access, size), count_double_width(access, size)));
        for (bool joins : {false, true}) REQUIRE(counted(phases(access, joins), count_phases(access, joins)));
    }
}

TEST_CASE("an H200's counters: shared wavefronts, bank conflicts, global requests and sectors") {
    std::ifstream recording(CUDASH_SOURCE_DIR "/tests/hardware/warp_accesses_h200.txt");
    REQUIRE(recording.good());
    const Profile& h200 = profile("h200");
    unsigned patterns = 0;
    for (std::string line; std::getline(recording, line);) {
        if (line.starts_with('#')) continue;
        CAPTURE(line);
        ++patterns;
        std::istringstream text(line);
        WarpAccess access;
        text >> access.size >> std::hex >> access.mask >> std::dec;
        for (std::uint64_t& address : access.addresses) {
            text >> address;
            address *= access.size;
        }
        std::string bar;
        text >> bar;
        for (bool store : {false, true}) {
            access.store = store;
            unsigned wavefronts = 0, conflicts = 0, requests = 0, sectors = 0;
            text >> wavefronts >> conflicts >> requests >> sectors;
            REQUIRE_FALSE(text.fail());
            const BankConflicts banks = bank_conflicts(h200, access);
            CHECK(banks.wavefronts() == wavefronts);
            CHECK(banks.conflicts() == conflicts);
            const Coalescing global = coalesce(h200, access);
            CHECK(global.requests.size() == requests);
            CHECK(global.sectors() == sectors);
        }
    }
    CHECK(patterns == 480);
}
