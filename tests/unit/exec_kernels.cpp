// Kernels of tests/ptx/control.cu: their results against the same computation on the host, and their faults.
#include <numeric>
#include <set>

#include "tests/unit/exec_harness.h"

using namespace cudash;
using namespace cudash::virtual_gpu;
using cudash::virtual_gpu::testing::Gpu;

namespace {

const std::string& control() {
    static const std::string text = cudash::virtual_gpu::testing::read_text("tests/ptx/control.ptx");
    return text;
}

}  // namespace

TEST_CASE("diverged branches and loops rejoin") {
    Gpu gpu(control());
    auto [at, out] = gpu.array<int>(256);
    gpu.run("if_else", 1, 100, at);
    for (int i = 0; i < 100; ++i) CHECK(out[i] == (i % 3 == 0 ? i * 10 : i % 3 == 1 ? -i : 7));
    gpu.run("loop_by_thread", 1, 256, at);
    for (int i = 0; i < 256; ++i) CHECK(out[i] == i * (i + 1) / 2);
    std::ranges::fill(out, -5);
    gpu.run("nested", 1, 256, at, 40);
    for (int i = 0; i < 256; ++i) {
        int sum = 0;
        bool left = false;
        for (int a = 0; a < 40 && !left; ++a) {
            if ((i + a) % 2) continue;
            for (int b = 0; b < i % 5 && b != 3; ++b) sum += a * b + 1;
            left = sum > 1000;
        }
        CHECK(out[i] == (left ? -5 : sum));
    }
    gpu.run("switches", 1, 64, at);
    for (int i = 0; i < 64; ++i) {
        const int expected[] = {12, i * 3, 5, -1, 99 - i, 1 << (i % 8), 0};
        CHECK(out[i] == expected[i % 7]);
    }
}

TEST_CASE("threads that return early do not hold up a barrier") {
    Gpu gpu(control());
    auto [at, out] = gpu.array<int>(128);
    gpu.run("early_return", 2, 64, at, 100);
    for (int i = 0; i < 100; ++i) CHECK(out[i] == (i ^ 1));
    CHECK(out[100] == 0);
}

TEST_CASE("a spin lock inside one warp ends, wherever the critical section stands") {
    for (const char* kernel : {"spin_lock", "naive_spin_lock"}) {
        Gpu gpu(control());
        auto [lock_at, lock] = gpu.array<int>(1);
        auto [at, counter] = gpu.array<int>(1);
        gpu.run(kernel, 3, 64, lock_at, at);
        CHECK(counter[0] == 192);
        CHECK(lock[0] == 0);
    }
}

TEST_CASE("a spin lock inside one warp hangs on devices without independent threads, and is found out") {
    Gpu gpu(control());
    gpu.profile.cc_major = 3;
    gpu.limits.timeout = std::chrono::milliseconds(2000);
    auto [lock_at, lock] = gpu.array<int>(1);
    auto [at, counter] = gpu.array<int>(1);
    LaunchOutcome outcome = gpu.launch("naive_spin_lock", {1, 1, 1}, {32, 1, 1}, 0, false, lock_at, at);
    CHECK(outcome.status == LaunchStatus::deadlock);
    REQUIRE(outcome.diagnostics.size() == 1);
    CHECK(outcome.diagnostics[0].code == "deadlock");
}

TEST_CASE("lanes exchange values") {
    Gpu gpu(control());
    auto [at, out] = gpu.array<int>(32);
    gpu.run("shuffles", 1, 32, at);
    int total = 0;
    for (int l = 0; l < 32; ++l) total += l * l;
    for (int l = 0; l < 32; ++l) {
        auto v = [](int lane) { return lane * lane; };
        const int up = l < 3 ? v(l) : v(l - 3), down = l % 8 > 5 ? v(l) : v(l + 2), idx = v(l / 16 * 16 + 5);
        CHECK(out[l] == total + up * 3 + down * 5 + idx * 7);
    }
    auto [votes_at, votes] = gpu.array<unsigned>(192);
    gpu.run("votes", 1, 32, votes_at);
    for (unsigned l = 0; l < 32; ++l) {
        CHECK(votes[l * 6 + 0] == 0x49249249);
        CHECK(votes[l * 6 + 1] == 1);
        CHECK(votes[l * 6 + 2] == 0);
        CHECK(votes[l * 6 + 3] == ~0u);
        unsigned same = 0;
        for (unsigned o = 0; o < 32; ++o) same |= unsigned{o / 5 == l / 5} << o;
        CHECK(votes[l * 6 + 4] == same);
        CHECK(votes[l * 6 + 5] == 0);  // 0xffffffff + 1
    }
    gpu.run("late_lanes", 1, 32, at);
    for (int l = 0; l < 32; ++l) {
        unsigned v = static_cast<unsigned>((l + 8) % 32);
        if (v < 8)
            for (unsigned k = 0; k < 100; ++k) v = v * 3 + k;
        CHECK(out[l] == static_cast<int>(v));
    }
    gpu.run("half_warp_calls", 1, 32, at);
    for (int l = 0; l < 32; ++l) CHECK(out[l] == (l < 16 ? 6 : 60));
}

TEST_CASE("barriers count, combine and meet from different branches") {
    Gpu gpu(control());
    auto [at, out] = gpu.array<int>(300);
    gpu.run("barrier_votes", 1, 100, at);
    for (int t = 0; t < 100; ++t) {
        CHECK(out[t * 3] == 25);
        CHECK(out[t * 3 + 1] == 1);
        CHECK(out[t * 3 + 2] == 1);
    }
    gpu.run("barrier_in_branches", 1, 64, at);
    for (int t = 0; t < 64; ++t) CHECK(out[t] == (t < 32 ? 63 - t : 163 - t));
}

TEST_CASE("threads that wait at different barriers are a deadlock that names both lines") {
    Gpu gpu(control());
    auto [at, out] = gpu.array<int>(64);
    LaunchOutcome outcome = gpu.launch("stuck", {1, 1, 1}, {64, 1, 1}, 0, false, at);
    CHECK(outcome.status == LaunchStatus::deadlock);
    REQUIRE(outcome.diagnostics.size() == 1);
    REQUIRE(outcome.diagnostics[0].notes.size() == 2);
    CHECK(outcome.diagnostics[0].notes[0].where.line != outcome.diagnostics[0].notes[1].where.line);
}

TEST_CASE("calls: recursion, pointers, structures") {
    Gpu gpu(control());
    auto [at, out] = gpu.array<int>(64);
    gpu.run("recursion", 1, 64, at);
    const int fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    for (int t = 0; t < 64; ++t) CHECK(out[t] == fibonacci[t % 12]);
    gpu.run("pointers", 1, 64, at);
    for (int t = 0; t < 64; ++t) CHECK(out[t] == (t % 3 == 0 ? t + 1 : t % 3 == 1 ? t * 2 : -t));
    CHECK(gpu.launch("null_pointer_call", {1, 1, 1}, {1, 1, 1}, 0, false, at, Address{0}).status ==
          LaunchStatus::invalid_pc);
    auto [real_at, reals] = gpu.array<double>(64);
    gpu.run("structures", 1, 64, real_at);
    for (int t = 0; t < 64; ++t) CHECK(reals[t] == (1.5 + t) * 2 + (t % 5 + 1 + t) * 100 + ('a' + 1) * 10000);
    gpu.run("local_array", 1, 64, at, 100);
    for (int t = 0; t < 64; ++t) {
        int a[16];
        unsigned s = 0;
        for (int k = 0; k < 16; ++k) a[k] = k * t;
        for (int k = 0; k < 100; ++k) a[(k * 7) % 16] += k;
        for (int k = 0; k < 16; ++k) s = s * 3 + static_cast<unsigned>(a[k]);
        CHECK(out[t] == static_cast<int>(s));
    }
}

TEST_CASE("atomics") {
    Gpu gpu(control());
    auto [in_at, in] = gpu.array<int>(10000);
    auto [bins_at, bins] = gpu.array<int>(10);
    for (int i = 0; i < 10000; ++i) in[i] = i * i % 10;
    gpu.run("histogram", 40, 256, in_at, bins_at, 10000);
    CHECK(std::accumulate(bins.begin(), bins.end(), 0) == 10000);
    CHECK(bins[0] == 1000);
    CHECK(bins[1] == 2000);
    auto [counter_at, counter] = gpu.array<int>(1);
    auto [out_at, out] = gpu.array<int>(10240);
    gpu.run("tickets", 40, 256, counter_at, out_at);
    for (int i = 0; i < 10240; ++i) CHECK(out[i] == i);  // in a fixed order
    float first = 0;
    for (int round = 0; round < 2; ++round) {
        auto [sum_at, sum] = gpu.array<float>(1);
        gpu.run("float_sum", 100, 256, sum_at);
        if (round == 0) first = sum[0];
        CHECK(sum[0] == first);
        CHECK(sum[0] == doctest::Approx(10.73).epsilon(0.01));
    }
}

TEST_CASE("blocks that wait for each other make progress") {
    Gpu gpu(control());
    auto [flag_at, flag] = gpu.array<int>(1);
    auto [at, out] = gpu.array<int>(64 * 8);
    gpu.run("wait_for_block", 20, 1, flag_at, at);
    CHECK(out[0] == 42);
    for (int i = 0; i < 512; ++i) out[i] = i * 7;
    LaunchOutcome outcome = gpu.launch("grid_sync", {8, 1, 1}, {64, 1, 1}, 0, true, at, 512);
    REQUIRE(outcome.status == LaunchStatus::ok);
    for (int i = 0; i < 512; ++i) CHECK(out[i] == (i + 3) % 512 * 7 + 3);
    // Without a cooperative launch there is no workspace, and the library traps.
    CHECK(gpu.launch("grid_sync", {8, 1, 1}, {64, 1, 1}, 0, false, at, 512).status == LaunchStatus::launch_failure);
}

TEST_CASE("printf and assert") {
    Gpu gpu(control());
    gpu.run("prints", 2, 2);
    CHECK(gpu.printed ==
          "block 0 thread 0 text 0.00\nblock 0 thread 1 text 0.50\nblock 1 thread 0 text 0.00\nblock 1 thread 1 text "
          "0.50\n");
    CHECK(gpu.launch("asserts", {1, 1, 1}, {4, 1, 1}, 0, false, 4).status == LaunchStatus::ok);
    LaunchOutcome outcome = gpu.launch("asserts", {2, 1, 1}, {4, 1, 1}, 0, false, 3);
    CHECK(outcome.status == LaunchStatus::assert_failed);
    CHECK(gpu.printed.find(": block: [0,0,0], thread: [3,0,0] Assertion `(int)threadIdx.x < limit` failed.\n") !=
          std::string::npos);
}

TEST_CASE("the device heap") {
    Gpu gpu(control());
    auto [at, pointers] = gpu.array<Address>(64);
    auto [out_at, out] = gpu.array<int>(64);
    gpu.run("heap", 1, 64, at);
    CHECK(std::set<Address>(pointers.begin(), pointers.end()).size() == 64);
    CHECK(gpu.memory->used(MemoryKind::heap) == 64 * 16);
    gpu.run("heap_free", 1, 64, at, out_at);
    for (int t = 0; t < 64; ++t) CHECK(out[t] == 3 * t);
    CHECK(gpu.memory->used(MemoryKind::heap) == 0);
    CHECK(gpu.launch("heap_free", {1, 1, 1}, {64, 1, 1}, 0, false, at, out_at).status == LaunchStatus::illegal_address);
}

TEST_CASE("accesses out of bounds are refused and explained") {
    Gpu gpu(control());
    auto [at, out] = gpu.array<int>(100, "cell 2 line 4");
    LaunchOutcome outcome = gpu.launch("write_at", {1, 1, 1}, {32, 1, 1}, 0, false, at, 90);
    CHECK(outcome.status == LaunchStatus::illegal_address);
    REQUIRE(outcome.diagnostics.size() == 1);
    const Diagnostic& diagnostic = outcome.diagnostics[0];
    CHECK(diagnostic.code == "oob-write");
    CHECK(diagnostic.message == "4-byte write past the end of an allocation, at byte 400 of 400");
    REQUIRE(diagnostic.thread);
    CHECK(diagnostic.thread->thread == Dim3{10, 0, 0});
    CHECK(diagnostic.where.file == "tests/ptx/control.cu");
    REQUIRE(!diagnostic.notes.empty());
    CHECK(diagnostic.notes.front().message ==
          "the allocation (cell 2 line 4): 400 bytes of device memory, 100 elements of 4 bytes; this is index 100");
    CHECK(out[95] == 0);  // nothing of the warp's access was done

    CHECK(gpu.launch("write_at", {1, 1, 1}, {32, 1, 1}, 0, false, Address{0}, 0).status ==
          LaunchStatus::illegal_address);
    CHECK(gpu.launch("read_byte_as_int", {1, 1, 1}, {1, 1, 1}, 0, false, at, at).status ==
          LaunchStatus::misaligned_address);
    CHECK(gpu.launch("shared_overrun", {1, 1, 1}, {32, 1, 1}, 128, false, at, 0).status == LaunchStatus::ok);
    outcome = gpu.launch("shared_overrun", {1, 1, 1}, {32, 1, 1}, 128, false, at, 1);
    CHECK(outcome.status == LaunchStatus::illegal_address);
    CHECK(outcome.diagnostics.at(0).message == "4-byte write past the end of s, at byte 128 of 128");
    CHECK(gpu.launch("shared_overrun", {1, 1, 1}, {32, 1, 1}, 128, false, at, 1 << 20).status ==
          LaunchStatus::illegal_instruction);
    auto [freed_at, freed] = gpu.array<int>(100);
    gpu.memory->release(freed_at);
    outcome = gpu.launch("write_at", {1, 1, 1}, {32, 1, 1}, 0, false, freed_at, 0);
    CHECK(outcome.diagnostics.at(0).code == "use-after-free");
    const VariableInfo* constant = gpu.module->variable("scale");
    REQUIRE(constant);
    CHECK(constant->constant);
    CHECK(gpu.launch("write_at", {1, 1, 1}, {1, 1, 1}, 0, false, constant->address, 0).status ==
          LaunchStatus::illegal_address);
}

TEST_CASE("variables are initialised and keep what kernels write") {
    Gpu gpu(control());
    auto [at, out] = gpu.array<int>(4);
    gpu.run("variables", 1, 4, at);
    CHECK(out[0] == 33);
    CHECK(out[3] == 99);
    gpu.run("variables", 1, 4, at);
    CHECK(out[1] == 60);
    const VariableInfo* last = gpu.module->variable("last");
    REQUIRE(last);
    CHECK(last->size == 4);
}

TEST_CASE("a kernel that does not end is stopped") {
    Gpu gpu(control());
    gpu.limits.timeout = std::chrono::milliseconds(100);
    auto [at, out] = gpu.array<int>(1);
    LaunchOutcome outcome = gpu.launch("endless", {1, 1, 1}, {64, 1, 1}, 0, false, at);
    CHECK((outcome.status == LaunchStatus::timeout || outcome.status == LaunchStatus::deadlock));
}

TEST_CASE("the fault of the lowest block is reported, whatever the number of threads") {
    for (unsigned threads : {1u, 4u}) {
        Gpu gpu(control());
        gpu.limits.host_threads = threads;
        LaunchOutcome outcome = gpu.launch("trap_in_block", {5000, 1, 1}, {64, 1, 1}, 0, false, 1234);
        CHECK(outcome.status == LaunchStatus::launch_failure);
        REQUIRE(outcome.diagnostics.size() == 1);
        CHECK(outcome.diagnostics[0].thread->block == Dim3{1234, 0, 0});
        CHECK(outcome.diagnostics[0].thread->thread == Dim3{3, 0, 0});
    }
}
