// Which kernels may run their blocks in parallel, and that results never depend on the number of host threads.
#include "runtime_wrappers/virtual_gpu/isa/link.h"
#include "tests/unit/exec_harness.h"

using namespace cudash;
using namespace cudash::virtual_gpu;
using cudash::virtual_gpu::testing::Gpu;
using cudash::virtual_gpu::testing::read_text;

TEST_CASE("kernels whose blocks keep to themselves are told from those that do not") {
    Gpu gpu(read_text("tests/ptx/control.ptx"));
    auto ordered = [&](std::string_view kernel) {
        return dynamic_cast<const Module&>(*gpu.module).program(kernel)->ordered;
    };
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
