// mma with operands of 8 bits and less, mma.f64 with its rounding modes, movmatrix, bulk copies inside shared memory.
#include <bit>

#include "tests/unit/exec_harness.h"

using namespace cudash;
using namespace cudash::virtual_gpu;
using cudash::virtual_gpu::testing::Gpu;

namespace {

/// One warp runs the body and each lane stores %r0 at out[lane].
std::vector<std::uint32_t> results(std::string_view body) {
    Gpu gpu(
        ".version 9.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 sh[1024];\n.visible .entry k(.param .u64 "
        "out)\n{\n.reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .f32 %f<8>; .reg .f64 %fd<8>; .reg .pred %p<3>;\n"
        "ld.param.u64 %rd0, [out]; mov.u32 %r9, %tid.x; mad.wide.u32 %rd0, %r9, 4, %rd0;\n" +
        std::string(body) + "\nst.global.u32 [%rd0], %r0;\nret;\n}\n");
    auto [at, out] = gpu.array<std::uint32_t>(32);
    gpu.run("k", 1, 32, at);
    return {out.begin(), out.end()};
}

/// All lanes' A registers hold `a`, their B registers `b`, and all sums begin with 7: d in lane 3.
std::int32_t integer_product(std::string_view shape, unsigned a_registers, unsigned b_registers, unsigned sums,
                             std::string_view types, std::uint32_t a, std::uint32_t b) {
    auto list = [](std::string_view name, unsigned count) {
        std::string text = "{";
        for (unsigned i = 0; i < count; ++i) text += std::string(i ? ", " : "") + std::string(name);
        return text + "}";
    };
    std::string d = "{%r0";
    for (unsigned i = 1; i < sums; ++i) d += ", %r" + std::to_string(i);
    const std::string body = "mov.u32 %r5, " + std::to_string(a) + "; mov.u32 %r6, " + std::to_string(b) +
                             "; mov.u32 %r7, 7;\nmma.sync.aligned." + std::string(shape) + ".row.col." +
                             std::string(types) + " " + d + "}, " + list("%r5", a_registers) + ", " +
                             list("%r6", b_registers) + ", " + list("%r7", sums) + ";";
    const auto out = results(body);
    CHECK(out[3] == out[30]);
    return static_cast<std::int32_t>(out[3]);
}

}  // namespace

TEST_CASE("mma multiplies 4-bit integers") {
    CHECK(integer_product("m8n8k32", 1, 1, 2, "s32.s4.s4.s32", 0x11111111, 0x22222222) == 7 + 32 * 2);
    CHECK(integer_product("m8n8k32", 1, 1, 2, "s32.s4.u4.s32", 0xffffffff, 0x22222222) == 7 - 32 * 2);
    CHECK(integer_product("m16n8k32", 2, 1, 4, "s32.u4.s4.s32", 0xffffffff, 0x22222222) == 7 + 32 * 30);
    CHECK(integer_product("m16n8k64", 4, 2, 4, "s32.s4.s4.s32", 0x88888888, 0x77777777) == 7 - 64 * 56);
}

TEST_CASE("mma counts the bits of single-bit operands") {
    CHECK(integer_product("m8n8k128", 1, 1, 2, "s32.b1.b1.s32.and.popc", 0xffffffff, 1) == 7 + 4);
    CHECK(integer_product("m8n8k128", 1, 1, 2, "s32.b1.b1.s32.xor.popc", 0xffffffff, 1) == 7 + 124);
    CHECK(integer_product("m16n8k128", 2, 1, 4, "s32.b1.b1.s32.xor.popc", 0xf, 0xff) == 7 + 16);
    CHECK(integer_product("m16n8k256", 4, 2, 4, "s32.b1.b1.s32.and.popc", 0xff, 0xff) == 7 + 64);
}

TEST_CASE("mma multiplies 8-bit floating-point numbers") {
    const auto out = results(
        "mov.u32 %r5, 0x38383838; mov.u32 %r6, 0x40404040; mov.f32 %f4, 0.5;\n"  // e4m3: 1 and 2
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f0, %f1, %f2, %f3}, {%r5, %r5, %r5, %r5}, {%r6, %r6}, "
        "{%f4, %f4, %f4, %f4}; mov.b32 %r0, %f0;");
    CHECK(std::bit_cast<float>(out[0]) == 64.5f);
    const auto mixed = results(
        "mov.u32 %r5, 0x3c3c3c3c; mov.u32 %r6, 0xc0c0c0c0; mov.f32 %f4, 0.0;\n"  // e5m2: 1, e4m3: -2
        "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 {%f0, %f1, %f2, %f3}, {%r5, %r5, %r5, %r5}, {%r6, %r6}, "
        "{%f4, %f4, %f4, %f4}; mov.b32 %r0, %f3;");
    CHECK(std::bit_cast<float>(mixed[31]) == -64.0f);
}

TEST_CASE("mma.f64 rounds as it is told") {
    // 1 + 4 * 2^-60: exactly representable sums are 1 and the next double above.
    auto low_word = [](std::string_view mode) {
        return results(
            "mov.f64 %fd1, 0d2C30000000000000; mov.f64 %fd2, 0d3FF0000000000000;\n"
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64" +
            std::string(mode) + " {%fd3, %fd4}, {%fd1}, {%fd2}, {%fd2, %fd2};\nmov.b64 {%r0, %r1}, %fd3;")[0];
    };
    CHECK(low_word(".rn") == 0);
    CHECK(low_word(".rz") == 0);
    CHECK(low_word(".rm") == 0);
    CHECK(low_word(".rp") == 4);  // each of the four steps rounds up
}

TEST_CASE("movmatrix transposes between the lanes") {
    // Element (row, column) is 16 * row + column.
    const auto out = results(
        "shr.u32 %r1, %r9, 2; and.b32 %r2, %r9, 3; shl.b32 %r2, %r2, 1; mad.lo.u32 %r3, %r1, 16, %r2;\n"
        "add.u32 %r4, %r3, 1; shl.b32 %r4, %r4, 16; or.b32 %r3, %r3, %r4;\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r3;");
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned row = lane / 4, column = 2 * (lane % 4);
        CHECK(out[lane] == ((16 * column + row) | (16 * (column + 1) + row) << 16));
    }
}

TEST_CASE("cp.async leaves out what a predicate tells it to ignore") {
    const auto out = results(
        "mov.u32 %r1, sh; mad.lo.u32 %r1, %r9, 4, %r1; st.shared.u32 [%r1], 99; mov.u32 %r3, 5; st.global.u32 [%rd0], "
        "%r3;\nsetp.lt.u32 %p1, %r9, 8; cp.async.ca.shared.global [%r1], [%rd0], 4, %p1;\n"
        "cp.async.wait_all; ld.shared.u32 %r0, [%r1];");
    CHECK(out[7] == 0);
    CHECK(out[8] == 5);
}

TEST_CASE("a bulk copy inside shared memory signals its barrier") {
    const auto out = results(
        "mov.u32 %r1, sh; add.u32 %r2, %r1, 512; add.u32 %r3, %r1, 768; mad.lo.u32 %r4, %r9, 4, %r1;\n"
        "add.u32 %r5, %r9, 100; st.shared.u32 [%r4], %r5; bar.warp.sync -1; setp.ne.u32 %p1, %r9, 0; @%p1 bra WAIT;\n"
        "mbarrier.init.shared.b64 [%r3], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 128;\n"
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r2], [%r1], 128, [%r3];\n"
        "WAIT: bar.warp.sync -1;\nAGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0; @!%p2 bra AGAIN;\n"
        "mad.lo.u32 %r4, %r9, 4, %r2; ld.shared.u32 %r0, [%r4];");
    CHECK(out[31] == 131);
}
