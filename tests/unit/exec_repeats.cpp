// Launches that need not run (exec/repeats.h), on tests/ptx/repeats.cu.
#include <numeric>

#include "tests/unit/exec_harness.h"

using namespace cudash;
using namespace cudash::virtual_gpu;
using cudash::virtual_gpu::testing::Gpu;

namespace {

constexpr unsigned count = 1 << 14, block = 256;

struct Repeated {
    Gpu gpu{cudash::virtual_gpu::testing::read_text("tests/ptx/repeats.ptx")};

    template <class... Arguments>
    std::vector<std::byte> packed(Arguments... arguments) {
        std::vector<std::byte> bytes(sizeof...(arguments) * sizeof(Address));
        std::size_t at = 0;
        ((std::memcpy(&bytes[at], &arguments, sizeof arguments), at += sizeof(Address)), ...);
        return bytes;
    }
    template <class... Arguments>
    void run(const char* kernel, Arguments... arguments) {
        gpu.run(kernel, count / block, block, arguments...);
    }
    template <class... Arguments>
    std::optional<LaunchOutcome> repeat(const char* kernel, Arguments... arguments) {
        const std::vector<std::byte> parameters = packed(arguments...);
        return gpu.executor->repeat({gpu.module, kernel, {count / block, 1, 1}, {block, 1, 1}, 0, parameters},
                                    gpu.profile, gpu.limits, [](const LaunchOutcome&) { return true; });
    }
};

}  // namespace

TEST_CASE("a launch that repeats one on the same memory need not run") {
    Repeated test;
    auto [in_at, in] = test.gpu.array<int>(count);
    auto [out_at, out] = test.gpu.array<int>(count);
    std::iota(in.begin(), in.end(), 1);
    CHECK(!test.repeat("scale", in_at, out_at));
    test.run("scale", in_at, out_at);
    const auto same = test.repeat("scale", in_at, out_at);
    REQUIRE(same);
    CHECK(same->warp_instructions > 0);
    CHECK(same->grid_id == 1);
    CHECK(out[5] == 18);

    SUBCASE("other arguments make it another launch") {
        CHECK(!test.repeat("scale", out_at, in_at));
    }
    SUBCASE("its input changed") {
        test.gpu.memory->note_change(in_at + 40);
        CHECK(!test.repeat("scale", in_at, out_at));
    }
    SUBCASE("its output changed") {
        test.run("in_place", out_at);
        CHECK(!test.repeat("scale", in_at, out_at));
        test.run("scale", in_at, out_at);
        CHECK(test.repeat("scale", in_at, out_at));
    }
    SUBCASE("other memory changed") {
        auto [other_at, other] = test.gpu.array<int>(count);
        test.run("in_place", other_at);
        CHECK(test.repeat("scale", in_at, out_at));
    }
    SUBCASE("its input lies in a new allocation at the same address") {
        test.gpu.memory->release(in_at);
        auto [again_at, again] = test.gpu.array<int>(count);
        REQUIRE(again_at == in_at);
        CHECK(!test.repeat("scale", in_at, out_at));
    }
    SUBCASE("other checkers look at it") {
        const std::vector<std::byte> parameters = test.packed(in_at, out_at);
        LaunchRequest request{test.gpu.module, "scale", {count / block, 1, 1}, {block, 1, 1}, 0, parameters};
        request.looked_for = 1;
        CHECK(!test.gpu.executor->repeat(request, test.gpu.profile, test.gpu.limits,
                                         [](const LaunchOutcome&) { return true; }));
    }
    SUBCASE("whoever launches may want it to run") {
        const std::vector<std::byte> parameters = test.packed(in_at, out_at);
        CHECK(
            !test.gpu.executor->repeat({test.gpu.module, "scale", {count / block, 1, 1}, {block, 1, 1}, 0, parameters},
                                       test.gpu.profile, test.gpu.limits, [](const LaunchOutcome&) { return false; }));
    }
}

TEST_CASE("a launch that changes what it reads runs, if it is much") {
    Repeated test;
    auto [at, values] = test.gpu.array<int>(count);
    for (int round = 0; round < 4; ++round) {
        CHECK(!test.repeat("in_place", at));
        test.run("in_place", at);
    }
    CHECK(values[0] == 15);
}

TEST_CASE("little memory is set to what a launch left there before") {
    Repeated test;
    auto [in_at, in] = test.gpu.array<int>(count);
    auto [out_at, out] = test.gpu.array<int>(1);
    std::iota(in.begin(), in.end(), 0);
    constexpr int all = count * (count - 1) / 2;
    for (int round = 0; round < 2; ++round) {
        out[0] = 5;
        CHECK(!test.repeat("sum", in_at, out_at));
        test.run("sum", in_at, out_at);
        CHECK(out[0] == all + 5);
    }
    // It would add to what is there now.
    CHECK(!test.repeat("sum", in_at, out_at));
    out[0] = 5;
    const auto same = test.repeat("sum", in_at, out_at);
    REQUIRE(same);
    CHECK(out[0] == all + 5);
    REQUIRE(same->used.size() == 1);
    CHECK(same->used[0].begin == out_at);
}

TEST_CASE("host memory is compared by its contents") {
    Repeated test;
    std::vector<int> host(count, 2);
    auto [out_at, out] = test.gpu.array<int>(count);
    Allocation pinned;
    pinned.begin = reinterpret_cast<Address>(host.data());
    pinned.size = host.size() * sizeof(int);
    pinned.kind = MemoryKind::pinned;
    REQUIRE(test.gpu.memory->enter_host(pinned));
    for (int round = 0; round < 2; ++round) {
        CHECK(!test.repeat("scale", pinned.begin, out_at));
        test.run("scale", pinned.begin, out_at);
    }
    // 64 KiB are too much beside 5,000 instructions of warps.
    CHECK(!test.repeat("scale", pinned.begin, out_at));
    CHECK(out[7] == 6);
}

TEST_CASE("host memory that is little is stored to again, unless host code changed it") {
    Repeated test;
    auto [in_at, in] = test.gpu.array<int>(count);
    std::iota(in.begin(), in.end(), 0);
    constexpr int all = count * (count - 1) / 2;
    alignas(64) static int pinned_sum = 0;
    Allocation pinned;
    pinned.begin = reinterpret_cast<Address>(&pinned_sum);
    pinned.size = sizeof pinned_sum;
    pinned.kind = MemoryKind::pinned;
    REQUIRE(test.gpu.memory->enter_host(pinned));
    for (int round = 0; round < 2; ++round) {
        pinned_sum = 7;
        CHECK(!test.repeat("sum", in_at, pinned.begin));
        test.run("sum", in_at, pinned.begin);
        CHECK(pinned_sum == all + 7);
    }
    pinned_sum = 8;
    CHECK(!test.repeat("sum", in_at, pinned.begin));
    CHECK(pinned_sum == 8);
    pinned_sum = 7;
    CHECK(test.repeat("sum", in_at, pinned.begin));
    CHECK(pinned_sum == all + 7);
}

TEST_CASE("kernels with other effects, or other input than memory, run") {
    Repeated test;
    auto [in_at, in] = test.gpu.array<int>(count);
    auto [out_at, out] = test.gpu.array<long long>(count);
    for (int round = 0; round < 3; ++round) {
        CHECK(!test.repeat("speaks", in_at, out_at));
        test.run("speaks", in_at, out_at);
        CHECK(test.gpu.printed == "0\n");
        CHECK(!test.repeat("ticks", out_at));
        test.run("ticks", out_at);
    }
}
