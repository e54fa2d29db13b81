// Which kernels may run their blocks in parallel, and that results never depend on the number of host threads.
#include "runtime_wrappers/virtual_gpu/isa/link.h"
#include "tests/unit/exec_harness.h"

using namespace cudash;
using namespace cudash::virtual_gpu;
using cudash::virtual_gpu::testing::Gpu;
using cudash::virtual_gpu::testing::read_text;

TEST_CASE("kernels whose blocks keep to themselves are told from those that do not") {
    Gpu gpu(read_text("tests/ptx/control.ptx"));
    auto ordered = [&](std::string_view kernel) { return gpu.module->program(kernel)->ordered; };
    for (const char* kernel :
         {"racy_histogram", "racy_winner", "racy_neighbours", "tickets", "float_sum", "wait_for_block"}) {
        INFO(kernel);
        CHECK(ordered(kernel));
    }
    for (const char* kernel : {"copy", "scale_in_place", "early_return", "histogram", "prints"}) {
        INFO(kernel);
        CHECK_FALSE(ordered(kernel));
    }
}

TEST_CASE("kernels whose counts follow from data are told from those whose don't") {
    Gpu gpu(read_text("tests/ptx/control.ptx"));
    const auto follow_data = [&](std::string_view kernel) { return gpu.module->program(kernel)->counts_follow_data; };
    for (const char* kernel : {"racy_histogram", "histogram", "wait_for_block"}) {
        INFO(kernel);
        CHECK(follow_data(kernel));
    }
    for (const char* kernel : {"copy", "scale_in_place", "early_return", "racy_neighbours"}) {
        INFO(kernel);
        CHECK_FALSE(follow_data(kernel));
    }
}

TEST_CASE("numbers that rows are counted with are not what memory is reached through") {
    const std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry rows(.param .u64 in, .param .u64 out, .param .u32 width, .param .u64 pitch)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r1, [width];
    ld.param.u64 %rd3, [pitch];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r2, %r1, %r3;
    cvt.u64.u32 %rd4, %r2;
    mul.lo.s64 %rd5, %rd4, %rd3;
    mul.wide.u32 %rd6, %r4, 4;
    add.s64 %rd7, %rd1, %rd5;
    add.s64 %rd8, %rd7, %rd6;
    ld.global.u32 %r5, [%rd8];
    add.s64 %rd9, %rd2, %rd5;
    add.s64 %rd10, %rd9, %rd6;
    st.global.u32 [%rd10], %r5;
    ret;
}
)";
    Gpu gpu(text);
    CHECK_FALSE(gpu.module->program("rows")->ordered);
}

TEST_CASE("races come out the same in every run, whatever the number of threads") {
    constexpr int n = 100000;
    std::vector<int> first_bins, first_copy, first_sums;
    int first_winner = -1;
    for (int run = 0; run < 4; ++run) {
        Gpu gpu(read_text("tests/ptx/control.ptx"));
        gpu.limits.host_threads = run % 2 ? 4 : 1;
        auto [in_at, in] = gpu.array<int>(n);
        auto [bins_at, bins] = gpu.array<int>(32);
        for (int i = 0; i < n; ++i) in[i] = i * 7 % 16;
        gpu.run("racy_histogram", (n + 255) / 256, 256, in_at, bins_at, n);
        gpu.run("copy", (n + 255) / 256, 256, in_at, in_at, n);
        std::vector<int> copied(in.begin(), in.end());
        gpu.run("racy_neighbours", (n + 255) / 256, 256, in_at, n);
        std::vector<int> sums(in.begin(), in.end()), counts(bins.begin(), bins.end());
        gpu.run("racy_winner", 1000, 32, bins_at);
        if (run == 0) {
            first_bins = counts;
            first_copy = copied;
            first_sums = sums;
            first_winner = bins[0];
        }
        CHECK(counts == first_bins);
        CHECK(copied == first_copy);
        CHECK(sums == first_sums);
        CHECK(bins[0] == first_winner);
    }
    CHECK(first_winner == 999);
}
