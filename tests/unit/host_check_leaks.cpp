#include "runtime_wrappers/host_check/leaks.h"

#include <doctest/doctest.h>

#include <vector>

using namespace cudash;
using host_check::describe_leaks;
using host_check::Leak;

namespace {

Leak leak(std::uint64_t bytes, unsigned line, std::string target) {
    return {.kind = "device memory", .bytes = bytes, .where = {"a.cu", line, 0}, .target = std::move(target)};
}

}  // namespace

TEST_CASE("leaks: none") {
    CHECK(!describe_leaks({}));
}

TEST_CASE("leaks: one place is told in one sentence") {
    const std::vector<Leak> one = {leak(400, 3, "d")};
    const auto found = describe_leaks(one);
    REQUIRE(found);
    CHECK(found->code == "leak");
    CHECK(found->severity == Diagnostic::Severity::warning);
    CHECK(found->message == "400 bytes of device memory (d) is never freed");
    CHECK(found->where.line == 3);
    CHECK(found->notes.empty());
    CHECK(found->hint == "cudaFree(d) after the last use");
    const std::vector<Leak> more = {leak(400, 3, "d"), leak(100, 3, "d")};
    CHECK(describe_leaks(more)->message == "500 bytes of device memory in 2 allocations (d) are never freed");
}

TEST_CASE("leaks: places are told apart, in the order of allocation, and not too many") {
    std::vector<Leak> leaks = {leak(8, 9, "b"), leak(8, 2, ""), leak(8, 9, "b")};
    auto found = describe_leaks(leaks);
    REQUIRE(found);
    CHECK(found->message == "24 bytes in 3 allocations are never freed");
    REQUIRE(found->notes.size() == 2);
    CHECK(found->notes[0].message == "16 bytes of device memory in 2 allocations (b)");
    CHECK(found->notes[0].where.line == 9);
    CHECK(found->notes[1].message == "8 bytes of device memory");
    for (unsigned line = 100; line < 120; ++line) leaks.push_back(leak(1, line, ""));
    found = describe_leaks(leaks);
    REQUIRE(found->notes.size() == 11);
    CHECK(found->notes.back().message == "and at 12 more places");
}
