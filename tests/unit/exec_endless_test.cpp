// Kernels that would never end, or would take all memory, and collective instructions in warps that are not whole.
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
