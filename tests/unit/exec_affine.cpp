// Kernels with affine registers: where the values stay affine, where they stop being so, and what is told of faults.
// A block 20 threads wide has thread indices that are no progression, so its warps run the plain instructions.
#include <algorithm>

#include "tests/unit/exec_harness.h"

using namespace cudash;
using namespace cudash::virtual_gpu;
using cudash::virtual_gpu::testing::Gpu;

namespace {

constexpr const char* header = ".version 8.0\n.target sm_90\n.address_size 64\n";

constexpr const char* kernels = R"(
// out[i] = i * 0x10000000 as a sign-extended 64-bit number: the product by lane leaves 32 bits.
.visible .entry wraps(.param .u64 out)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 28;
    mul.wide.s32 %rd2, %r2, 1;
    cvt.u64.u32 %rd3, %r2;
    add.s64 %rd4, %rd2, %rd3;
    mul.wide.u32 %rd5, %r1, 8;
    add.s64 %rd6, %rd1, %rd5;
    st.global.u64 [%rd6], %rd4;
    ret;
}
// Every thread leaves the loop after its own number of rounds; what it counted must stay its own.
.visible .entry counts(.param .u64 out)
{
    .reg .pred %p<3>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    mov.u32 %r3, 100;
again:
    add.s32 %r2, %r2, 1;
    add.s32 %r3, %r3, %r1;
    setp.le.u32 %p1, %r2, %r1;
    @%p1 bra again;
    mad.lo.s32 %r4, %r2, 10000, %r3;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r4;
    ret;
}
// Lanes of one branch write what the lanes of the other one still need.
.visible .entry branches(.param .u64 out, .param .u32 limit)
{
    .reg .pred %p<3>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r2, [limit];
    mov.u32 %r1, %tid.x;
    add.s32 %r3, %r1, 7;
    setp.ge.u32 %p1, %r1, %r2;
    @%p1 bra meet;
    mul.lo.s32 %r3, %r1, -3;
meet:
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    @!%p1 st.global.u32 [%rd3], %r3;
    @%p1 st.global.u32 [%rd3], %r3;
    ret;
}
// out[tid] = in[tid * stride] * in[offset] + 1
.visible .entry multiply_add(.param .u64 out, .param .u64 in, .param .u32 stride, .param .u32 offset)
{
    .reg .b32 %r<8>;
    .reg .f32 %f<6>;
    .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    ld.param.u32 %r2, [stride];
    ld.param.u32 %r3, [offset];
    mov.u32 %r1, %tid.x;
    mul.lo.s32 %r4, %r1, %r2;
    mul.wide.s32 %rd3, %r4, 4;
    add.s64 %rd4, %rd2, %rd3;
    mul.wide.s32 %rd5, %r3, 4;
    add.s64 %rd6, %rd2, %rd5;
    mov.f32 %f3, 0f3F800000;
    .loc 1 41 0
    ld.global.f32 %f1, [%rd4];
    .loc 1 42 0
    ld.global.f32 %f2, [%rd6];
    .loc 1 43 0
    fma.rn.f32 %f4, %f1, %f2, %f3;
    mul.wide.u32 %rd7, %r1, 4;
    add.s64 %rd8, %rd1, %rd7;
    st.global.f32 [%rd8], %f4;
    ret;
}
// out[i] = rounds * tid * scale + ntid; block 1 leaves the ntid out, which is then 0.
.visible .entry steady(.param .u64 out, .param .u32 scale, .param .u32 rounds)
{
    .reg .pred %p<3>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, 0;
    ld.param.u32 %r10, [rounds];
again:
    ld.param.u32 %r5, [scale];
    mul.lo.s32 %r6, %r1, %r5;
    add.s32 %r4, %r4, %r6;
    add.s32 %r10, %r10, -1;
    setp.gt.s32 %p1, %r10, %r2;
    @%p1 bra again;
    setp.eq.u32 %p2, %r2, 1;
    @%p2 bra late;
    mov.u32 %r7, %ntid.x;
late:
    mad.lo.s32 %r8, %r2, %r3, %r1;
    mul.wide.u32 %rd2, %r8, 4;
    add.s64 %rd3, %rd1, %rd2;
    add.s32 %r9, %r4, %r7;
    st.global.u32 [%rd3], %r9;
    ret;
}
)";

std::string text() {
    return std::string(header) + ".file 1 \"affine.cu\"\n" + kernels;
}

}  // namespace

TEST_CASE("products that leave 32 bits are widened lane by lane") {
    for (unsigned threads : {32u, 20u}) {
        Gpu gpu(text());
        auto [at, out] = gpu.array<std::uint64_t>(32);
        gpu.run("wraps", 1, threads, at);
        for (std::uint32_t i = 0; i < threads; ++i) {
            const std::uint32_t product = i << 28;
            CHECK(out[i] == static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(product)}) + product);
        }
    }
}

TEST_CASE("lanes that leave a loop early keep their own values") {
    std::uint64_t instructions[2] = {};
    for (unsigned round = 0; round < 2; ++round) {
        Gpu gpu(text());
        auto [at, out] = gpu.array<int>(96);
        // 96 threads in a row, and as 20 columns.
        const LaunchOutcome outcome = gpu.launch("counts", {1, 1, 1}, {round == 0 ? 20u : 96u, 1, 1}, 0, false, at);
        REQUIRE(outcome.status == LaunchStatus::ok);
        instructions[round] = outcome.thread_instructions;
        for (int i = 0; i < (round == 0 ? 20 : 96); ++i) CHECK(out[i] == (i + 1) * 10000 + 100 + (i + 1) * i);
    }
    std::uint64_t expected[2] = {};
    for (unsigned i = 0; i < 96; ++i) {
        const std::uint64_t own = 4 + 4 * (i + 1) + 5;
        expected[1] += own;
        if (i < 20) expected[0] += own;
    }
    CHECK(instructions[0] == expected[0]);
    CHECK(instructions[1] == expected[1]);
}

TEST_CASE("a value written under a branch leaves the other lanes' value alone") {
    for (unsigned limit : {0u, 1u, 13u, 16u, 31u, 32u, 64u}) {
        Gpu gpu(text());
        auto [at, out] = gpu.array<int>(64);
        gpu.run("branches", 1, 64, at, limit);
        for (int i = 0; i < 64; ++i) CHECK(out[i] == (static_cast<unsigned>(i) < limit ? -3 * i : i + 7));
    }
}

TEST_CASE("what is the same in every block is computed once, counted each time, and again for the next launch") {
    constexpr int blocks = 40, rounds = 5;
    for (unsigned threads : {20u, 48u, 128u}) {
        Gpu gpu(text());
        auto [at, out] = gpu.array<int>(blocks * threads);
        for (int scale : {3, -7}) {
            const LaunchOutcome outcome =
                gpu.launch("steady", {blocks, 1, 1}, {threads, 1, 1}, 0, false, at, scale, rounds);
            REQUIRE(outcome.status == LaunchStatus::ok);
            std::uint64_t instructions = 0;
            for (int block = 0; block < blocks; ++block) {
                const int passes = std::max(1, rounds - block);
                instructions += threads * static_cast<unsigned>(6 + 6 * passes + 2 + (block != 1) + 6);
                for (int tid = 0; tid < static_cast<int>(threads); ++tid)
                    CHECK(out[static_cast<unsigned>(block) * threads + static_cast<unsigned>(tid)] ==
                          passes * tid * scale + (block == 1 ? 0 : static_cast<int>(threads)));
            }
            CHECK(outcome.thread_instructions == instructions);
        }
    }
}

TEST_CASE("two loads and their product, at every kind of stride") {
    for (int stride : {-5, -1, 0, 1, 2, 31}) {
        for (unsigned threads : {64u, 45u}) {
            Gpu gpu(text());
            auto [in_at, in] = gpu.array<float>(4096);
            auto [out_at, out] = gpu.array<float>(64);
            for (int i = 0; i < 4096; ++i) in[i] = static_cast<float>(i % 97) - 48;
            gpu.run("multiply_add", 1, threads, out_at, in_at + 4 * 2048, stride, 3);
            for (unsigned i = 0; i < threads; ++i)
                CHECK(out[i] == in[static_cast<std::size_t>(2048 + static_cast<int>(i) * stride)] * in[2051] + 1);
        }
    }
}

TEST_CASE("a fault inside instructions that run as one is told of the right one and the first lane") {
    struct Case {
        int stride, offset, line;
        unsigned thread;
    };
    for (const Case& test : {Case{1, 1000, 42, 0}, Case{3, 0, 41, 22}, Case{3, 1000, 41, 22}, Case{-1, 0, 41, 1}}) {
        Gpu gpu(text());
        auto [in_at, in] = gpu.array<float>(64);
        auto [out_at, out] = gpu.array<float>(64);
        const LaunchOutcome outcome =
            gpu.launch("multiply_add", {1, 1, 1}, {32, 1, 1}, 0, false, out_at, in_at, test.stride, test.offset);
        REQUIRE(outcome.status == LaunchStatus::illegal_address);
        REQUIRE(outcome.diagnostics.size() == 1);
        CHECK(outcome.diagnostics[0].where.line == test.line);
        REQUIRE(outcome.diagnostics[0].thread);
        CHECK(outcome.diagnostics[0].thread->thread.x == test.thread);
        CHECK(out[0] == 0);
    }
}
