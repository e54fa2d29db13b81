// Kernels that would never end, or would take all memory, and collective instructions in warps that are not whole.
#include <fmt/format.h>

#include "tests/unit/exec_harness.h"

using namespace cudash;
using namespace cudash::virtual_gpu;
using cudash::virtual_gpu::testing::Gpu;

namespace {

constexpr std::string_view head = ".version 9.0\n.target sm_90\n.address_size 64\n";

}  // namespace

TEST_CASE("recursion without a loop can be stopped") {
    // Calls itself twice, 60 levels deep: no loop, and no end within a lifetime.
    Gpu gpu(std::string(head) + R"(
.func (.param .b32 result) tree(.param .b32 depth) {
    .reg .pred %p1;
    .reg .b32 %r<8>;
    ld.param.u32 %r1, [depth];
    mov.u32 %r5, 1;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra $done;
    add.s32 %r2, %r1, -1;
    {
        .param .b32 argument;
        .param .b32 value;
        st.param.b32 [argument], %r2;
        call.uni (value), tree, (argument);
        ld.param.b32 %r3, [value];
    }
    {
        .param .b32 argument;
        .param .b32 value;
        st.param.b32 [argument], %r2;
        call.uni (value), tree, (argument);
        ld.param.b32 %r4, [value];
    }
    add.s32 %r5, %r3, %r4;
$done:
    st.param.b32 [result], %r5;
    ret;
}
.visible .entry k(.param .u64 out, .param .u32 depth) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [depth];
    {
        .param .b32 argument;
        .param .b32 value;
        st.param.b32 [argument], %r1;
        call.uni (value), tree, (argument);
        ld.param.b32 %r2, [value];
    }
    st.global.u32 [%rd1], %r2;
    ret;
}
)");
    auto [at, out] = gpu.array<unsigned>(1);
    gpu.run("k", 1, 1, at, 13u);
    CHECK(out[0] == 1u << 13);
    gpu.limits.timeout = std::chrono::milliseconds(50);
    CHECK(gpu.launch("k", {1, 1, 1}, {64, 1, 1}, 0, false, at, 60u).status == LaunchStatus::timeout);
}

TEST_CASE("a loop whose only branch is indexed can be stopped") {
    Gpu gpu(std::string(head) + R"(
.visible .entry k() {
    .reg .b32 %r<3>;
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
targets: .branchtargets again;
again:
    add.u32 %r2, %r2, 1;
    brx.idx %r1, targets;
}
.visible .entry apart() {
    .reg .b32 %r<4>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r3, 0;
targets: .branchtargets one, other;
one:
    xor.b32 %r1, %r1, 1;
other:
    add.u32 %r3, %r3, 1;
    and.b32 %r2, %r1, 1;
    brx.idx %r2, targets;
}
)");
    gpu.limits.timeout = std::chrono::milliseconds(50);
    for (const char* name : {"k", "apart"}) {
        CHECK(gpu.launch(name, {1, 1, 1}, {64, 1, 1}, 0, false).status == LaunchStatus::timeout);
        CHECK(gpu.launch(name, {300, 1, 1}, {33, 1, 1}, 0, false).status == LaunchStatus::timeout);
    }
}

TEST_CASE("a loop that changes nothing is found, by whichever branch it goes round") {
    Gpu gpu(std::string(head) + R"(
.visible .entry indexed() {
    .reg .b32 %r<2>;
    mov.u32 %r1, 0;
targets: .branchtargets again;
again:
    brx.idx %r1, targets;
}
.visible .entry apart() {
    .reg .b32 %r<4>;
    mov.u32 %r1, %tid.x;
targets: .branchtargets one, other;
one:
    xor.b32 %r1, %r1, 1;
other:
    and.b32 %r2, %r1, 1;
    brx.idx %r2, targets;
}
.visible .entry plain() {
again:
    bra again;
}
)");
    for (const char* name : {"indexed", "apart", "plain"})
        for (const Dim3& grid : {Dim3{1, 1, 1}, Dim3{300, 1, 1}}) {
            const auto outcome = gpu.launch(name, grid, {33, 1, 1}, 0, false);
            CHECK(outcome.status == LaunchStatus::deadlock);
            REQUIRE(!outcome.diagnostics.empty());
            CHECK(outcome.diagnostics.front().code == "endless-loop");
        }
}

TEST_CASE("cudaLimitStackSize bounds recursion as it does on an H200") {
    // The activations that fit there: each takes 16 bytes and its variables, and so does the kernel.
    const auto text = [](int variables, int of_kernel) {
        return fmt::format(R"(.version 9.0
.target sm_90
.address_size 64
.func deep(.param .b32 depth) {{
    .reg .pred %p1; .reg .b32 %r<4>;
    .local .align 16 .b8 own[{}];
    ld.param.u32 %r1, [depth];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra done;
    sub.u32 %r1, %r1, 1;
    {{ .param .b32 argument; st.param.b32 [argument], %r1; call.uni deep, (argument); }}
done:
    ret;
}}
.visible .entry k(.param .u32 depth) {{
    .reg .b32 %r<2>;
    .local .align 16 .b8 own[{}];
    ld.param.u32 %r1, [depth];
    {{ .param .b32 argument; st.param.b32 [argument], %r1; call.uni deep, (argument); }}
    ret;
}}
)",
                           variables, of_kernel);
    };
    const auto deepest = [](Gpu& gpu, std::uint64_t limit) {
        gpu.limits.stack_per_thread = limit;
        unsigned depth = 0;
        while (gpu.launch("k", {1, 1, 1}, {32, 1, 1}, 0, false, depth).status == LaunchStatus::ok) ++depth;
        const LaunchOutcome over = gpu.launch("k", {1, 1, 1}, {32, 1, 1}, 0, false, depth);
        CHECK(over.status == LaunchStatus::illegal_address);
        CHECK(over.diagnostics.at(0).code == "stack-overflow");
        CHECK(over.diagnostics.at(0).message ==
              fmt::format("the calls of a thread need more than {} bytes of stack", limit));
        return depth - 1;
    };
    Gpu plain(text(0, 0));
    CHECK(deepest(plain, 1024) == 63);
    CHECK(deepest(plain, 2048) == 127);
    CHECK(deepest(plain, 16384) == 1023);
    Gpu with_variables(text(0, 1024));
    CHECK(deepest(with_variables, 2048) == 63);
    CHECK(deepest(with_variables, 16384) == 959);
    Gpu big(text(320, 0));
    CHECK(deepest(big, 1024) == 2);
    CHECK(deepest(big, 2048) == 5);
    CHECK(deepest(big, 16384) == 47);
    // Without an end.
    CHECK(plain.launch("k", {1, 1, 1}, {1024, 1, 1}, 0, false, ~0u).status == LaunchStatus::illegal_address);
    plain.limits.stack_per_thread = 512 << 10;
    CHECK(plain.launch("k", {1, 1, 1}, {32, 1, 1}, 0, false, 32766u).status == LaunchStatus::ok);
    CHECK(plain.launch("k", {1, 1, 1}, {32, 1, 1}, 0, false, 32768u).status == LaunchStatus::illegal_address);
}

TEST_CASE("long code and long loops take no more of the host's stack than short ones") {
    // A handler may call the next; where a compiler makes no jump of it, the first of them has the whole stack above.
    std::string body;
    for (int i = 0; i < 60000; ++i) body += fmt::format("mad.lo.s32 %r{}, %r{}, 3, %r1;\n", i % 3 + 2, (i + 1) % 3 + 2);
    const auto text = [](std::string_view steps) {
        return fmt::format(R"({}
.visible .entry k(.param .u64 out, .param .u32 rounds) {{
    .reg .pred %p1; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out]; ld.param.u32 %r5, [rounds];
    mov.u32 %r1, %tid.x; mov.u32 %r2, 1; mov.u32 %r3, 2; mov.u32 %r4, 3;
again:
    {}
    sub.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0;
    @%p1 bra again;
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
}}
)",
                           head, steps);
    };
    const auto expected = [](unsigned thread, unsigned steps, unsigned rounds) {
        unsigned r[3] = {1, 2, 3};
        for (unsigned round = 0; round < rounds; ++round)
            for (unsigned i = 0; i < steps; ++i) r[i % 3] = r[(i + 1) % 3] * 3 + thread;
        return r[0];
    };
    Gpu straight(text(body));
    auto [at, out] = straight.array<unsigned>(128);
    straight.run("k", 1, 128, at, 1u);
    CHECK(out[77] == expected(77, 60000, 1));
    Gpu loop(text("mad.lo.s32 %r2, %r3, 3, %r1; mad.lo.s32 %r3, %r4, 3, %r1; mad.lo.s32 %r4, %r2, 3, %r1;"));
    auto [loop_at, loop_out] = loop.array<unsigned>(128);
    loop.run("k", 1, 128, loop_at, 200000u);
    CHECK(loop_out[77] == expected(77, 3, 200000));
}

TEST_CASE("ldmatrix in a warp that is not whole reads only rows that some lane named") {
    Gpu gpu(std::string(head) + R"(
.visible .entry k(.param .u64 out) {
    .shared .align 16 .b8 tile[512];
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, tile;
    mad.lo.u32 %r2, %r0, 16, %r1;
    st.shared.u32 [%r2], %r0;
    bar.warp.sync -1;
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2];
    mul.wide.u32 %rd2, %r0, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r3;
    ret;
}
)");
    auto [at, out] = gpu.array<unsigned>(32);
    gpu.run("k", 1, 8, at);
    CHECK(out[0] == 0);
    CHECK(out[4] == 1);
}

TEST_CASE("a function without constants and registers has an empty frame") {
    Gpu gpu(std::string(head) + ".visible .entry k() { ret; }\n");
    gpu.run("k", 1, 32);
}
