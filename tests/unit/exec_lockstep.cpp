// Blocks whose warps run in lockstep: the same results, counts and faults as warp by warp. A kernel that reads %warpid
// has no form for lockstep, so each kernel here exists twice.
#include <algorithm>
#include <string>

#include "tests/unit/exec_harness.h"

using namespace cudash;
using namespace cudash::virtual_gpu;
using cudash::virtual_gpu::testing::Gpu;

namespace {

constexpr const char* header = ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"lockstep.cu\"\n";

/// `body` of a kernel with the parameters out and in (of 4096 words each) and n. %r1 is the thread's number in its
/// block, %r2 the block's, %r3 the block's threads, %r4 n, %r5 the thread's number in the grid, %rd1 its place in out,
/// %rd2 its place in in, %r6 its place in `words`. The last instruction stores %r7 in out.
std::string kernel(const std::string& name, const std::string& body, bool alone) {
    return ".visible .entry " + name + R"((.param .u64 out, .param .u64 in, .param .u32 n)
{
    .shared .align 8 .b8 words[4096];
    .reg .pred %p<8>;
    .reg .b32 %r<40>;
    .reg .b64 %rd<20>;
    ld.param.u64 %rd3, [out];
    ld.param.u64 %rd4, [in];
    ld.param.u32 %r4, [n];
    mov.u32 %r30, %tid.y;
    mov.u32 %r31, %ntid.x;
    mov.u32 %r32, %tid.x;
    mad.lo.s32 %r1, %r30, %r31, %r32;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r33, %ntid.y;
    mul.lo.s32 %r3, %r31, %r33;
    mad.lo.s32 %r5, %r2, %r3, %r1;
    mul.wide.u32 %rd5, %r5, 4;
    add.s64 %rd1, %rd3, %rd5;
    add.s64 %rd2, %rd4, %rd5;
    shl.b32 %r34, %r1, 2;
    mov.u32 %r35, words;
    add.s32 %r6, %r35, %r34;
)" + (alone ? "mov.u32 %r36, %warpid;\n" : "") +
           body + "    st.global.u32 [%rd1], %r7;\n    ret;\n}\n";
}

struct Ran {
    LaunchOutcome outcome;
    std::vector<std::uint32_t> out;
};

Ran run(const std::string& body, bool alone, Dim3 grid, Dim3 block, std::uint32_t n, unsigned host_threads = 2) {
    Gpu gpu(header + kernel("k", body, alone));
    gpu.limits.host_threads = host_threads;
    auto [out_at, out] = gpu.array<std::uint32_t>(4096);
    auto [in_at, in] = gpu.array<std::uint32_t>(4096);
    for (std::uint32_t i = 0; i < 4096; ++i) in[i] = i * 2654435761u >> 20;
    Ran ran{gpu.launch("k", grid, block, 0, false, out_at, in_at, n), {}};
    ran.out.assign(out.begin(), out.end());
    return ran;
}

const Dim3 shapes[] = {{64, 1, 1}, {256, 1, 1}, {1024, 1, 1}, {16, 16, 1},
                       {32, 8, 1}, {48, 2, 1},  {8, 16, 1},   {100, 1, 1}};

/// Both ways, for all shapes and for these values of n.
void compare(const std::string& body, std::initializer_list<std::uint32_t> values) {
    for (const Dim3& block : shapes)
        for (std::uint32_t n : values) {
            const unsigned threads = block.x * block.y, grid = 4096 / threads;
            INFO(block.x, "x", block.y, " threads, n = ", n);
            const Ran together = run(body, false, {grid, 1, 1}, block, n),
                      alone = run(body, true, {grid, 1, 1}, block, n);
            REQUIRE(alone.outcome.status == LaunchStatus::ok);
            REQUIRE(together.outcome.status == LaunchStatus::ok);
            CHECK(together.out == alone.out);
            CHECK(together.outcome.thread_instructions ==
                  alone.outcome.thread_instructions - std::uint64_t{grid} * threads);
            CHECK(together.outcome.warp_instructions ==
                  alone.outcome.warp_instructions - std::uint64_t{grid} * ((threads + 31) / 32));
        }
}

const std::string reduction = R"(
    ld.global.u32 %r8, [%rd2];
    st.shared.u32 [%r6], %r8;
    bar.sync 0;
    shr.u32 %r10, %r3, 1;
again:
    setp.ge.s32 %p1, %r1, %r10;
    @%p1 bra waits;
    shl.b32 %r11, %r10, 2;
    add.s32 %r12, %r6, %r11;
    ld.shared.u32 %r13, [%r6];
    ld.shared.u32 %r14, [%r12];
    add.s32 %r15, %r13, %r14;
    st.shared.u32 [%r6], %r15;
waits:
    BARRIER
    shr.u32 %r10, %r10, 1;
    setp.ne.s32 %p2, %r10, 0;
    @%p2 bra again;
    ld.shared.u32 %r7, [words];
)";
std::string with_barrier(const std::string& barrier) {
    std::string body = reduction;
    return body.replace(body.find("BARRIER"), 7, barrier);
}

}  // namespace

TEST_CASE("lockstep: a reduction in shared memory") {
    compare(with_barrier("bar.sync 0;"), {0});
    const Ran ran = run(with_barrier("bar.sync 0;"), false, {4, 1, 1}, {1024, 1, 1}, 0);
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < 1024; ++i) sum += i * 2654435761u >> 20;
    CHECK(ran.out[1000] == sum);
}

TEST_CASE("lockstep: the order of warps shows where a barrier is missing, as it does warp by warp") {
    compare(with_barrier(""), {0});
    // s[n - 1 - t], not waited for
    compare(R"(
    ld.global.u32 %r8, [%rd2];
    st.shared.u32 [%r6], %r8;
    sub.s32 %r9, %r3, %r1;
    shl.b32 %r10, %r9, 2;
    add.s32 %r11, %r35, %r10;
    ld.shared.u32 %r7, [%r11+-4];
)",
            {0});
    // for (d = 1; d < n; d *= 2) if (t >= d) s[t] += s[t - d];
    compare(R"(
    st.shared.u32 [%r6], 1;
    bar.sync 0;
    mov.u32 %r10, 1;
again:
    setp.lt.u32 %p1, %r1, %r10;
    @%p1 bra waits;
    shl.b32 %r11, %r10, 2;
    sub.s32 %r12, %r6, %r11;
    ld.shared.u32 %r13, [%r12];
    ld.shared.u32 %r14, [%r6];
    add.s32 %r15, %r13, %r14;
    st.shared.u32 [%r6], %r15;
waits:
    bar.sync 0;
    shl.b32 %r10, %r10, 1;
    setp.lt.u32 %p2, %r10, %r3;
    @%p2 bra again;
    ld.shared.u32 %r7, [%r6];
)",
            {0});
    // Each round stores what others may still load.
    compare(R"(
    mov.u32 %r10, 0;
    mov.u32 %r7, 0;
    xor.b32 %r11, %r1, 32;
    shl.b32 %r12, %r11, 2;
    and.b32 %r13, %r12, 4095;
    add.s32 %r14, %r35, %r13;
again:
    add.s32 %r15, %r10, %r1;
    st.shared.u32 [%r6], %r15;
    bar.sync 0;
    ld.shared.u32 %r16, [%r14];
    mad.lo.s32 %r7, %r7, 3, %r16;
    add.s32 %r10, %r10, 1;
    setp.lt.u32 %p1, %r10, 5;
    @%p1 bra again;
)",
            {0});
}

TEST_CASE("lockstep: an if without else, with what may stand inside") {
    compare(R"(
    mov.u32 %r7, 5;
    setp.ge.u32 %p1, %r1, %r4;
    @%p1 bra meet;
    ld.global.u32 %r8, [%rd2];
    setp.gt.u32 %p2, %r8, 2000;
    @%p2 st.global.u32 [%rd1], %r8;
    selp.u32 %r9, %r8, %r1, %p2;
    shl.b32 %r10, %r1, 28;
    mul.wide.s32 %rd7, %r10, 3;
    shr.u64 %rd8, %rd7, 20;
    cvt.u32.u64 %r11, %rd8;
    xor.b32 %r7, %r9, %r11;
meet:
)",
            {0, 1, 31, 32, 33, 100, 256, 4096});
}

TEST_CASE("lockstep: warps and lanes that part, in loops and behind returns") {
    compare(R"(
    mov.u32 %r7, 0;
    mov.u32 %r8, %r1;
    setp.lt.u32 %p1, %r1, %r4;
    @%p1 bra less;
    add.s32 %r8, %r8, 1000;
    bra both;
less:
    mul.lo.s32 %r8, %r8, 7;
both:
    and.b32 %r9, %r1, 7;
again:
    add.s32 %r7, %r7, %r8;
    add.s32 %r9, %r9, -1;
    setp.gt.s32 %p2, %r9, 0;
    @%p2 bra again;
)",
            {0, 32, 50, 1024});
    compare(R"(
    add.s32 %r7, %r1, 3;
    setp.ge.u32 %p1, %r5, %r4;
    @%p1 ret;
    mul.lo.s32 %r7, %r7, %r30;
)",
            {0, 1000, 2048, 4096});
}

TEST_CASE("lockstep: rows and columns of every kind of step") {
    compare(R"(
    mad.lo.s32 %r8, %r32, %r33, %r30;
    mad.lo.s32 %r9, %r2, %r3, %r8;
    mul.wide.u32 %rd6, %r9, 4;
    add.s64 %rd7, %rd4, %rd6;
    add.s64 %rd8, %rd3, %rd6;
    ld.global.u32 %r10, [%rd7];
    mul.lo.s32 %r11, %r30, %r4;
    ld.global.u32 %r12, [%rd2];
    st.global.u32 [%rd8], %r12;
    bar.sync 0;
    mad.lo.s32 %r7, %r10, 5, %r11;
    add.s32 %r7, %r7, %r12;
)",
            {3});
    // 8-byte and 2-byte elements in shared memory, from the far end.
    compare(R"(
    and.b32 %r8, %r1, 511;
    cvt.u64.u32 %rd6, %r5;
    sub.s32 %r9, %r3, %r1;
    shl.b32 %r10, %r9, 1;
    add.s32 %r11, %r35, %r10;
    st.shared.u16 [%r11], %r5;
    bar.sync 0;
    shl.b32 %r12, %r1, 1;
    add.s32 %r13, %r35, %r12;
    ld.shared.u16 %r7, [%r13+2];
    bar.sync 0;
    shr.u32 %r14, %r1, 5;
    add.s32 %r7, %r7, %r14;
)",
            {0});
}

TEST_CASE("lockstep: faults are those of the warp, line and thread") {
    const std::string body = R"(
    .loc 1 7 0
    mad.lo.s32 %r8, %r1, %r4, %r5;
    mul.wide.s32 %rd6, %r8, 4;
    add.s64 %rd7, %rd4, %rd6;
    .loc 1 8 0
    ld.global.u32 %r7, [%rd7];
)";
    for (const Dim3& block : {Dim3{256, 1, 1}, Dim3{16, 16, 1}})
        for (std::uint32_t n : {30u, 1000u, 3u, 0u - 2u}) {
            const Ran together = run(body, false, {1, 1, 1}, block, n), alone = run(body, true, {1, 1, 1}, block, n);
            CHECK(together.outcome.status == alone.outcome.status);
            REQUIRE(together.outcome.diagnostics.size() == alone.outcome.diagnostics.size());
            for (std::size_t i = 0; i < alone.outcome.diagnostics.size(); ++i) {
                const Diagnostic &here = together.outcome.diagnostics[i], &there = alone.outcome.diagnostics[i];
                CHECK(here.message == there.message);
                CHECK(here.where.line == 8);
                REQUIRE(here.thread);
                CHECK(here.thread->thread == there.thread->thread);
            }
        }
}

TEST_CASE("lockstep: a loop without an end is stopped, and told where it is") {
    const std::string body = R"(
    mov.u32 %r7, 1;
    .loc 1 9 0
again:
    add.s32 %r7, %r7, 1;
    st.global.u32 [%rd1], %r7;
    setp.ne.s32 %p1, %r4, 12;
    @%p1 bra again;
)";
    Gpu gpu(header + kernel("k", body, false));
    gpu.limits.timeout = std::chrono::milliseconds(50);
    auto [out_at, out] = gpu.array<std::uint32_t>(4096);
    const LaunchOutcome outcome = gpu.launch("k", {4, 1, 1}, {128, 1, 1}, 0, false, out_at, out_at, 0);
    CHECK(outcome.status == LaunchStatus::timeout);
    REQUIRE(outcome.diagnostics.size() == 1);
    CHECK(outcome.diagnostics[0].where.line == 9);
    REQUIRE(!outcome.diagnostics[0].notes.empty());
    CHECK(outcome.diagnostics[0].notes[0].message == "threads 0-127 of block (0,0,0) run");
}
