// What a student's PTX can get wrong: each is a diagnostic with its line and, while a kernel runs, its block and
// thread, and gives the error of hardware.
#include <fmt/format.h>

#include "tests/unit/exec_harness.h"

using namespace cudash;
using namespace cudash::virtual_gpu;
using cudash::virtual_gpu::testing::Gpu;

namespace {

constexpr std::string_view head =
    ".version 9.0\n.target sm_90\n.address_size 64\n.file 1 \"lesson.cu\"\n"
    ".const .align 4 .b8 table[64];\n.shared .align 16 .b8 fixed[64];\n.extern .shared .align 16 .b8 dynamic[];\n";

std::string kernel(std::string_view body, std::string_view before = {}) {
    return std::string(head) + std::string(before) +
           "\n.visible .entry k(.param .u64 p, .param .u64 q)\n{\n.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; "
           ".reg .b16 %h<4>; .reg .f32 %f<4>;\n.local .align 4 .b8 depot[16];\nld.param.u64 %rd1, [p]; ld.param.u64 "
           "%rd2, [q]; "
           "mov.u32 %r1, %tid.x;\n.loc 1 42 7\n" +
           std::string(body) + "\nret;\n}\n";
}

/// Runs the body in block (0,0,0) with 64 threads and 32 bytes of dynamic shared memory.
LaunchOutcome run(std::string_view body, std::uint64_t p = 0, std::uint64_t q = 0, std::string_view before = {}) {
    Gpu gpu(kernel(body, before));
    auto [at, memory] = gpu.array<std::uint64_t>(8);
    return gpu.launch("k", {1, 1, 1}, {64, 1, 1}, 32, false, at + p, q);
}

void check_fault(const LaunchOutcome& outcome, LaunchStatus status, std::string_view code, unsigned thread) {
    REQUIRE(outcome.diagnostics.size() == 1);
    const Diagnostic& diagnostic = outcome.diagnostics[0];
    INFO(diagnostic.message);
    CHECK(outcome.status == status);
    CHECK(diagnostic.code == code);
    CHECK(diagnostic.where.file == "lesson.cu");
    CHECK(diagnostic.where.line == 42);
    REQUIRE(diagnostic.thread);
    CHECK(diagnostic.thread->block == Dim3{0, 0, 0});
    CHECK(diagnostic.thread->thread == Dim3{thread, 0, 0});
}

/// A launch that is refused before it begins, with `text` in the message.
void check_refused(std::string_view body, std::string_view text, std::string_view before = {}) {
    const LaunchOutcome outcome = run(body, 0, 0, before);
    INFO(body);
    CHECK(outcome.status == LaunchStatus::unsupported);
    REQUIRE(!outcome.diagnostics.empty());
    const Diagnostic& diagnostic = outcome.diagnostics[0];
    CHECK_MESSAGE(diagnostic.message.find(text) != std::string::npos, diagnostic.message);
    CHECK(diagnostic.message.find("PTX line 1") != std::string::npos);  // 14 or so
    CHECK(diagnostic.where.file == "lesson.cu");
    CHECK(diagnostic.where.line == 42);
}

}  // namespace

TEST_CASE("malformed PTX is refused with its line") {
    auto memory = AddressSpace::create(std::uint64_t{1} << 30);
    for (const char* text : {"", ".version 9.0\n.target sm_90\n.address_size 64\n.entry k( {", "not ptx at all",
                             ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { add.s32 %r1, (1+, 2; }",
                             ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { mov.u32 %r1, 1/0; }"}) {
        auto loaded = load_module(text, *memory, unnamed_profile());
        REQUIRE(!loaded);
        CHECK(!loaded.error().message.empty());
        CHECK(loaded.error().where.line >= 1);
    }
}

TEST_CASE("constant expressions of any depth end") {
    auto memory = AddressSpace::create(std::uint64_t{1} << 30);
    for (const char* part : {"(", "~", "1?", "1?1:", "1+(", "-(", "!"}) {
        std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { mov.u32 %r1, ";
        for (int i = 0; i < 100000; ++i) text += part;
        auto loaded = load_module(text + "1; }", *memory, unnamed_profile());
        REQUIRE(!loaded);
        CHECK(loaded.error().message.find("nested too deep") != std::string::npos);
    }
}

TEST_CASE("forms that are lacking are refused by name and line") {
    check_refused("wgmma.wait_group.sync.aligned %r1;", "the number of groups is an immediate");
    check_refused("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, 1, 1, 2, 0, 0;",
                  "wgmma.mma_async.sync.aligned.m64n8k16");
    check_refused("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, 1, 1, 1, 0, 0;",
                  "d has 8 registers");
    check_refused("wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, 1, 1, 1, 0, 0;",
                  "a multiple of 8");
    check_refused("wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, 1, 1, 1, 0, 0;",
                  "the depth of a shape");
    check_refused("wgmma.mma_async.sync.aligned.m64n8.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, 1, 1, 1, 0, 0;",
                  "wgmma.mma_async.sync.aligned.m64n8.f32");
    check_refused(
        "mma.sync.aligned.m64n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r1,%r2,%r1,%r2}, {%r3,%r4}, "
        "{%f0,%f1,%f2,%f3};",
        "mma.sync.aligned.m64n8k16");
    check_refused("setmaxnreg.inc.sync.aligned.u32 100;", "the number of registers is 24 to 256");
    check_refused("tcgen05.fence::before_thread_sync;", "tcgen05.fence");
    check_refused("multimem.red.global.add.u32 [%rd1], %r1;", "multimem.red");
    check_refused(
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, "
        "%r3, %r2}], [%r4], {%rs1};",
        "cp.async.bulk.tensor.3d");
    check_refused(
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r1,%r2}, {%r3,%r4}, "
        "{%f0,%f1,%f2,%f3}, %r5, 0;",
        "mma.sp");
    check_refused("frobnicate.u32 %r1, %r2;", "frobnicate.u32");
}

TEST_CASE("missing names and wrong registers are refused") {
    check_refused("bra NOWHERE;", "label");
    check_refused("add.u32 %r1, %missing, 1;", "%missing");
    check_refused("ld.global.u32 %r1, [absent];", "absent is not declared");
    check_refused("add.u32 %r1, %rd1, 1;", "%rd1");
    check_refused("add.u64 %rd1, %rd2, %r1;", "%r1");
    check_refused("add.f64 %f1, %f2, %f3;", "%f1");
    check_refused("setp.eq.u32 %r1, %r2, 0;", "%r1 is not a predicate");
    check_refused("call absent_function, (%r1);", "absent_function");
    check_refused("@%r1 add.u32 %r2, %r2, 1;", "%r1 is not a predicate");
    check_refused("add.u32 %r1.b0, %r2, 1;", "register is expected");
    check_refused("ld.global.v2.u32 {}, [%rd1];", "no elements");
    check_refused("st.shared.u32 [%r1], %r2;\nld.shared.u32 %r2;", "ld.shared.u32");
    check_refused("st.shared.u32;\nld.shared.u32 %r2, [%r1];", "st.shared.u32");
    check_refused("st.global.v2.u32 [%rd1], {};", "no elements");
    check_refused("red.global.add.v2.f32 [%rd1], {};", "no elements");
    check_refused("st.local.u32 [depot+16], %r1;", "beyond its variable");
    check_refused("ld.param.u64 %rd1, [q+4];", "beyond its variable");
}

TEST_CASE("accesses out of bounds in every space") {
    using enum LaunchStatus;
    check_fault(run("ld.global.u32 %r2, [%rd1];", 64), illegal_address, "oob-read", 0);
    check_fault(run("ld.u32 %r2, [%rd2];", 0, 0), illegal_address, "oob-read", 0);
    check_fault(run("mov.u32 %r3, fixed; shl.b32 %r2, %r1, 8; add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], %r1;"),
                illegal_address, "oob-write", 1);
    check_fault(run("mov.u32 %r3, dynamic; st.shared.u32 [%r3+32], %r1;"), illegal_address, "oob-write", 0);
    check_fault(run("mov.u64 %rd3, depot; st.local.u32 [%rd3+1048576], %r1;"), illegal_address, "oob-write", 0);
    check_fault(run("mov.u64 %rd3, table; ld.const.u32 %r2, [%rd3+4096];"), illegal_address, "oob-read", 0);
    check_fault(run("mov.b64 %rd3, p; cvta.param.u64 %rd3, %rd3; ld.u32 %r2, [%rd3+64];"), illegal_address, "oob-read",
                0);
    check_fault(run("mov.b64 %rd3, p; cvta.param.u64 %rd3, %rd3; st.u32 [%rd3], %r1;"), illegal_address, "oob-write",
                0);
    check_fault(run("mov.u64 %rd3, table; cvta.const.u64 %rd3, %rd3; st.u32 [%rd3], %r1;"), illegal_address,
                "oob-write", 0);
    check_fault(run("mov.u32 %r3, fixed; atom.shared.add.u32 %r2, [%r3+256], 1;"), illegal_address, "oob-write", 0);
}

TEST_CASE("misaligned accesses in every space") {
    using enum LaunchStatus;
    check_fault(run("ld.global.u32 %r2, [%rd1+1];"), misaligned_address, "misaligned-access", 0);
    check_fault(run("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+8];"), misaligned_address, "misaligned-access", 0);
    check_fault(run("mov.u32 %r3, fixed; ld.shared.u64 %rd3, [%r3+4];"), misaligned_address, "misaligned-access", 0);
    check_fault(run("mov.u32 %r3, dynamic; st.shared.u16 [%r3+1], %h1;"), misaligned_address, "misaligned-access", 0);
    check_fault(run("mov.u64 %rd3, depot; ld.local.u32 %r2, [%rd3+2];"), misaligned_address, "misaligned-access", 0);
    check_fault(run("mov.u64 %rd3, table; ld.const.u32 %r2, [%rd3+2];"), misaligned_address, "misaligned-access", 0);
    check_fault(run("mov.b64 %rd3, p; cvta.param.u64 %rd3, %rd3; ld.u32 %r2, [%rd3+2];"), misaligned_address,
                "misaligned-access", 0);
    check_fault(run("atom.global.add.u32 %r2, [%rd1+2], 1;"), misaligned_address, "misaligned-access", 0);
}

TEST_CASE("bad pointers, deep recursion and bad barriers") {
    using enum LaunchStatus;
    const std::string_view pointer = "prototype: .callprototype _ (.reg .b32 _); call %rd2, (%r1), prototype;";
    check_fault(run(pointer, 0, 0), invalid_pc, "bad-function-pointer", 0);
    check_fault(run(pointer, 0, 0x1234), invalid_pc, "bad-function-pointer", 0);
    check_fault(run("targets: .branchtargets A, B; add.u32 %r1, %r1, 1; brx.idx %r1, targets; A: B: ret;"), invalid_pc,
                "bad-branch-index", 1);
    const std::string_view recursion =
        ".func deep(.reg .b32 n) { .reg .b32 %m; .local .align 4 .b8 big[256];\n.loc 1 42 7\nadd.u32 %m, n, 1;\ncall "
        "deep, (%m); ret; }";
    check_fault(run("call deep, (%r1);", 0, 0, recursion), illegal_address, "stack-overflow", 0);
    check_fault(run("alloca.u64 %rd3, %rd2;", 0, 1 << 30), illegal_address, "stack-overflow", 0);
    check_fault(run("alloca.u64 %rd3, %rd2;", 0, ~0ull), illegal_address, "stack-overflow", 0);
    check_fault(run("stackrestore.u64 %rd2;", 0, ~0ull), hardware_stack_error, "bad-stack-pointer", 0);
    check_fault(run("bar.sync 0, 33;"), illegal_instruction, "bad-barrier", 0);
    check_fault(run("bar.sync 0, %r1;"), illegal_instruction, "bad-barrier", 0);
    check_fault(run("add.u32 %r1, %r1, 16; bar.sync %r1;"), illegal_instruction, "bad-barrier", 0);
    check_fault(run("bar.sync 1, 96;"), deadlock, "deadlock", 0);
    // Another block of a cluster that has one: the address leads nowhere.
    check_fault(run("mapa.shared::cluster.u32 %r2, 0, 1; ld.shared::cluster.u32 %r3, [%r2];"), illegal_instruction,
                "oob-read", 0);
}

TEST_CASE("sizes that no memory has are refused where they are declared") {
    const auto refused = [](std::string_view body, std::string_view named, std::string_view before = {},
                            std::string_view parameters = ".param .u64 p", std::string_view code = "too-large") {
        INFO(body, before, parameters);
        Gpu gpu(
            fmt::format(".version 9.0\n.target sm_90\n.address_size 64\n{}\n.visible .entry k({})\n{{\n.reg .b32 "
                        "%r<4>; .reg .b64 %rd<4>;\n{}\nret;\n}}\n",
                        before, parameters, body));
        const LaunchOutcome outcome = gpu.launch("k", {1, 1, 1}, {32, 1, 1}, 0, false, std::uint64_t{0});
        CHECK(outcome.status == LaunchStatus::unsupported);
        REQUIRE(!outcome.diagnostics.empty());
        CHECK(outcome.diagnostics[0].code == code);
        CHECK(outcome.diagnostics[0].message.find(named) != std::string::npos);
    };
    const std::string_view huge[] = {"524289",
                                     "4294967296",
                                     "4294967312",
                                     "9223372032559808512",
                                     "9223372036854775807",
                                     "4294967296][4294967296",
                                     "4294967296][4294967297"};
    for (std::string_view bytes : huge) {
        const auto local = fmt::format(
            ".local .align 4 .b8 big[{}];\nmov.u64 %rd1, big; st.local.u32 [big+64], %r1; "
            "ld.local.u32 %r1, [%rd1+4096];",
            bytes);
        refused(local, "PTX line 8");
        refused(fmt::format("call f;"), "f needs more than 524288 bytes",
                fmt::format(".func f() {{ .local .b8 big[{}]; ret; }}", bytes));
        refused(fmt::format("{{ .param .b8 a[{}]; st.param.b32 [a+64], %r1; call f, (a); }}", bytes), "local memory",
                fmt::format(".func f(.param .b8 a[{}]) {{ ret; }}", bytes));
        refused("ld.param.u32 %r1, [big+4096];", "take more than 32764 bytes", "",
                fmt::format(".param .u64 p, .param .b8 big[{}]", bytes));
    }
    refused(
        ".shared .b8 a[9223372036854775807]; .shared .b8 b[9223372036854775807]; .shared .b8 c[16];\n"
        "st.shared.u32 [a+1024], %r1;",
        "bytes of shared memory");
    refused(".shared .b8 a[4294967296];\nst.shared.u32 [a+1024], %r1;", "4294967296 bytes of shared memory");
    refused(".param .b8 many<4294967295>[512];", "local memory");
    refused(".param .b8 many<4294967295>[0];", "declares more variables");
    refused("call k;", "k is not the name of a defined function", "", ".param .u64 p", "unsupported-instruction");
    refused("call other;", "other is not the name of a defined function", ".entry other() { ret; }", ".param .u64 p",
            "unsupported-instruction");
    // Each function is small, and the deepest chain of them is not; nor must it take the host's stack.
    std::string chain = ".func f0() { .local .b8 big[512]; ret; }\n";
    for (int i = 1; i < 20000; ++i)
        chain += fmt::format(".func f{}() {{ .local .b8 big[512]; call f{}; ret; }}\n", i, i - 1);
    refused("call f19999;", "and what it calls need", chain);
    refused("call f, (%r1);", "p can't be passed in a register", ".func f(.reg .pred p) { ret; }", ".param .u64 p",
            "unsupported-declaration");
}

TEST_CASE("variables and alignments that no memory has are refused when the module is loaded") {
    auto memory = AddressSpace::create(std::uint64_t{1} << 30);
    for (const char* text :
         {".global .b8 g[9223372036854775807];", ".global .b32 g[4611686018427387904];",
          ".global .b8 g[4294967296][4294967297] = {{1, 2}, {3, 4}};", ".const .b64 c[2305843009213693953];",
          ".global .align 3 .b8 g[4];", ".global .align 0 .b8 g[4];", ".shared .align 4294967296 .b8 s[4];"}) {
        INFO(text);
        auto loaded = load_module(fmt::format(".version 9.0\n.target sm_90\n.address_size 64\n{}\n", text), *memory,
                                  unnamed_profile());
        REQUIRE(!loaded);
        CHECK(!loaded.error().message.empty());
    }
}

TEST_CASE("launches that no device allows are refused, whoever asks for them") {
    Gpu gpu(kernel(""));
    auto [at, words] = gpu.array<std::uint64_t>(8);
    const auto status = [&](Dim3 grid, Dim3 block, std::uint32_t shared) {
        return gpu.launch("k", grid, block, shared, false, at, at).status;
    };
    CHECK(status({1, 1, 1}, {1024, 1, 1}, 0) == LaunchStatus::ok);
    CHECK(status({1, 1, 1}, {1025, 1, 1}, 0) == LaunchStatus::unsupported);
    CHECK(status({1, 1, 1}, {65536, 65536, 1}, 0) == LaunchStatus::unsupported);
    CHECK(status({~0u, ~0u, ~0u}, {1, 1, 1}, 0) == LaunchStatus::unsupported);
    CHECK(status({1, 1, 1}, {1, 1, 1}, ~0u) == LaunchStatus::unsupported);
    CHECK(status({1, 1, 1}, {1, 1, 1}, 0u - 64) == LaunchStatus::unsupported);
}

TEST_CASE("vectors have the elements that their modifier says") {
    check_refused("ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];", "3 are named");
    check_refused("ld.global.u32 {%r1, %r2}, [%rd1];", "2 are named");
    check_refused("st.shared.v4.u32 [%r1], {%r1};", "1 are named");
    check_refused("red.global.add.v4.f32 [%rd1], {%f1, %f2, %f3};", "3 are named");
    std::string many = "%r1";
    for (int i = 1; i < 65536; ++i) many += ", %r1";
    check_refused("ld.global.v2.u32 {" + many + "}, [%rd1];", "65536 are named");
    check_refused("st.global.v2.u32 [%rd1], {" + many + "};", "65536 are named");
}

TEST_CASE("a deadlock says which threads wait where") {
    const LaunchOutcome outcome =
        run("setp.lt.u32 %p1, %r1, 16; @%p1 exit; setp.lt.u32 %p1, %r1, 32; @%p1 bra FIRST;\n.loc 1 50 3\nbar.sync 2, "
            "64; bra "
            "END;\nFIRST:\n.loc 1 60 3\nbar.sync 1, 64;\nEND:");
    CHECK(outcome.status == LaunchStatus::deadlock);
    REQUIRE(outcome.diagnostics.size() == 1);
    const auto& notes = outcome.diagnostics[0].notes;
    REQUIRE(notes.size() == 3);
    CHECK(notes[0].message == "threads 16-31 of block (0,0,0) wait at barrier 1");
    CHECK(notes[0].where.line == 60);
    CHECK(notes[1].message == "threads 32-63 of block (0,0,0) wait at barrier 2");
    CHECK(notes[1].where.line == 50);
    CHECK(notes[2].message == "threads 0-15 of block (0,0,0) have exited");
}

TEST_CASE("a kernel that is stopped says which threads run where") {
    // Thread 5 counts for ever; the rest of its warp waits for it, the other warp at the barrier.
    Gpu gpu(
        kernel("setp.ne.u32 %p1, %r1, 5; @%p1 bra AFTER;\n.loc 1 70 1\nAGAIN: atom.global.add.u32 %r2, [%rd1], 1; bra "
               "AGAIN;\nAFTER:\n.loc 1 80 1\nbar.sync 0;"));
    gpu.limits.timeout = std::chrono::milliseconds(200);
    auto [at, memory] = gpu.array<std::uint64_t>(8);
    const LaunchOutcome outcome = gpu.launch("k", {1, 1, 1}, {64, 1, 1}, 32, false, at, std::uint64_t{0});
    CHECK(outcome.status == LaunchStatus::timeout);
    REQUIRE(outcome.diagnostics.size() == 1);
    const Diagnostic& diagnostic = outcome.diagnostics[0];
    CHECK(diagnostic.code == "kernel-timeout");
    CHECK(diagnostic.message.find("kernel k ran") != std::string::npos);
    CHECK(diagnostic.message.ends_with("0 of 1 blocks were done"));
    bool runs = false, waits = false;
    for (const Diagnostic::Note& note : diagnostic.notes) {
        runs |= note.message == "thread 5 of block (0,0,0) runs" && note.where.line == 70;
        waits |= note.message.find("wait at __syncthreads()") != std::string::npos && note.where.line == 80;
    }
    CHECK(runs);
    CHECK(waits);
}

TEST_CASE("a lock that nobody releases is found out, on new devices and on old ones") {
    for (const char* name : {"h200", "c2050"}) {
        Gpu gpu(
            kernel(".loc 1 90 1\nAGAIN: atom.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra "
                   "AGAIN;\n.loc 1 91 1\nbar.sync 0;"));
        if (const Profile* profile = find_profile(name)) gpu.profile = *profile;
        auto [at, memory] = gpu.array<std::uint64_t>(8);
        const LaunchOutcome outcome = gpu.launch("k", {1, 1, 1}, {64, 1, 1}, 32, false, at, std::uint64_t{0});
        CHECK(outcome.status == LaunchStatus::deadlock);
        REQUIRE(outcome.diagnostics.size() == 1);
        CHECK(!outcome.diagnostics[0].hint.empty());
        bool spins = false;
        for (const Diagnostic::Note& note : outcome.diagnostics[0].notes)
            spins |= note.message.find("run") != std::string::npos && note.where.line == 90;
        CHECK(spins);
    }
}

TEST_CASE("a parameter is read by its generic address, which is not a place in the parameters") {
    CHECK(run("ld.u64 %rd3, [q]; ld.u32 %r2, [q]; st.global.u64 [%rd1], %rd3;").status == LaunchStatus::ok);
}
