#include "runtime_wrappers/host_check/ledger.h"

#include <doctest/doctest.h>

using namespace cudash;
using host_check::Kind;
using host_check::Ledger;
using host_check::Memory;

namespace {

Memory memory(std::uint64_t begin, std::uint64_t size, unsigned line, std::string target) {
    Memory made{.begin = begin, .size = size};
    made.made.where = {"a.cu", line, 0};
    made.made.target = std::move(target);
    return made;
}

constexpr host_check::Lifetime free_device = *host_check::lifetime_of(api::Function::cudaFree);

}  // namespace

TEST_CASE("ledger: what is made and not ended is left, in its order") {
    Ledger ledger;
    ledger.made(Kind::device, memory(0x2000, 64, 3, "b"), 0);
    ledger.made(Kind::locked, memory(0x1000, 16, 4, "h"), 0);
    ledger.made(Kind::device, memory(0x3000, 8, 5, "c"), 0);
    ledger.made(Kind::stream, memory(0x1000, 0, 6, "s"), 0);
    ledger.made(Kind::event, memory(0x1000, 0, 7, "e"), 0);
    ledger.ended(Kind::device, 0x3000, {});
    ledger.ended(Kind::stream, 0x1000, {});
    const auto left = ledger.memory();
    REQUIRE(left.size() == 2);
    CHECK(left[0].target == "b");
    CHECK(left[0].bytes == 64);
    CHECK(left[1].target == "h");
    CHECK(std::string(left[1].frees) == "cudaFreeHost");
    const auto objects = ledger.objects();
    REQUIRE(objects.size() == 1);
    CHECK(objects[0].target == "e");
    CHECK(std::string(objects[0].frees) == "cudaEventDestroy");
}

TEST_CASE("ledger: a reset leaves nothing of its device, and all of another") {
    Ledger ledger;
    ledger.made(Kind::device, memory(0x2000, 64, 3, "b"), 0);
    ledger.made(Kind::locked, memory(0x1000, 16, 4, "h"), 0);
    ledger.made(Kind::stream, memory(0x9, 0, 6, "s"), 0);
    ledger.made(Kind::graph, memory(0xa, 0, 7, "g"), 0);
    ledger.made(Kind::stream, memory(0xb, 0, 8, "other"), 1);
    ledger.reset(0);
    CHECK(ledger.memory().empty());
    REQUIRE(ledger.objects().size() == 1);
    CHECK(ledger.objects()[0].target == "other");
}

TEST_CASE("ledger: addresses are found inside of what is live") {
    Ledger ledger;
    ledger.made(Kind::device, memory(0x2000, 64, 3, "b"), 0);
    REQUIRE(ledger.find(0x203f));
    CHECK(ledger.find(0x203f)->memory.begin == 0x2000);
    CHECK(!ledger.find(0x2040));
    CHECK(!ledger.find(0x1fff));
    ledger.ended(Kind::device, 0x2000, {});
    CHECK(!ledger.find(0x2000));
}

TEST_CASE("ledger: why a pointer is not freed") {
    Ledger ledger;
    ledger.made(Kind::device, memory(0x2000, 64, 3, "b"), 0);
    ledger.made(Kind::locked, memory(0x1000, 16, 4, "h"), 0);
    CHECK(ledger.why_not_freed(free_device, 0x2010) == "the pointer is 16 bytes into 64 bytes (b, a.cu line 3)");
    CHECK(ledger.why_not_freed(free_device, 0x1000) ==
          "it is page-locked memory, 16 bytes (h, a.cu line 4): cudaFreeHost frees it");
    CHECK(ledger.why_not_freed(free_device, 0x5000).empty());
    ledger.ended(Kind::device, 0x2000, {"a.cu", 9, 0});
    CHECK(ledger.why_not_freed(free_device, 0x2000) == "it was freed already, a.cu line 9: 64 bytes (b, a.cu line 3)");
    // The address is in use again.
    ledger.made(Kind::device, memory(0x2000, 8, 12, "c"), 0);
    CHECK(ledger.why_not_freed(free_device, 0x2000).empty());
}

TEST_CASE("ledger: a finding is told once for each place") {
    Ledger ledger;
    Diagnostic found = error("wrong-direction", "the kind is wrong");
    found.where = {"a.cu", 3, 1};
    CHECK(ledger.is_new(found));
    CHECK(!ledger.is_new(found));
    found.where.line = 4;
    CHECK(ledger.is_new(found));
}
