// What instructions ask of a multiprocessor, by type, modifiers and space.
#include <doctest/doctest.h>

#include <sstream>

#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"

using namespace cudash::virtual_gpu;

namespace {

InstructionCost cost_of_text(const std::string& text) {
    cudash::ptx::Instruction written;
    std::istringstream words(text);
    std::getline(words, written.mnemonic, '.');
    for (std::string word; std::getline(words, word, '.');) written.modifiers.push_back(word);
    return cost_of(written);
}

}  // namespace

TEST_CASE("instruction cost: the unit is that of the type") {
    CHECK(cost_of_text("add.s32").unit == Unit::integer);
    CHECK(cost_of_text("fma.rn.f32").unit == Unit::single);
    CHECK(cost_of_text("fma.rz.f64").unit == Unit::doubles);
    CHECK(cost_of_text("add.rn.bf16").unit == Unit::single);
    CHECK(cost_of_text("setp.lt.f64").unit == Unit::doubles);
    CHECK(cost_of_text("setp.lt.f64").latency == Latency::doubles);
    CHECK(cost_of_text("setp.lt.f32").unit == Unit::integer);
    CHECK(cost_of_text("div.rn.f64").unit == Unit::doubles);
    CHECK(cost_of_text("div.rn.f64").machine == 20);
    CHECK(cost_of_text("div.approx.f32").machine == 2);
    CHECK(cost_of_text("cvt.rn.f32.f64").unit == Unit::special);
    CHECK(cost_of_text("cvt.rn.f32.s32").unit == Unit::integer);
    CHECK(cost_of_text("ex2.approx.ftz.f32").special == 1);
    CHECK(cost_of_text("mov.b64").machine == 0);
}

TEST_CASE("instruction cost: memory by its space, whatever stands before it") {
    CHECK(cost_of_text("ld.global.nc.f32").latency == Latency::global);
    CHECK(cost_of_text("ld.volatile.shared.u32").latency == Latency::shared);
    CHECK(cost_of_text("ld.acquire.gpu.shared::cta.u32").latency == Latency::shared);
    CHECK(cost_of_text("ld.local.v2.f32").latency == Latency::local);
    CHECK(cost_of_text("ld.param.u64").machine == 0);
    CHECK(cost_of_text("ld.const.f32").machine == 0.5);
    CHECK(cost_of_text("st.shared.f32").latency == Latency::none);
    CHECK(cost_of_text("atom.relaxed.cta.shared.add.u32").machine == 2);
    CHECK(cost_of_text("atom.global.add.u32").latency == Latency::global);
    CHECK(cost_of_text("bar.sync").latency == Latency::barrier);
    CHECK(cost_of_text("bar.warp.sync").unit == Unit::integer);
}

TEST_CASE("instruction cost: matrix products by how many bits they multiply") {
    const InstructionCost halves = cost_of_text("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    CHECK(halves.unit == Unit::tensor);
    CHECK(halves.machine == 1);
    CHECK(halves.busy == 16 * 8 * 16 / 32);
    for (const char* equal :
         {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
          "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32",
          "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc"})
        CHECK(cost_of_text(equal).busy == halves.busy);
    const InstructionCost fragments = cost_of_text("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32");
    CHECK(fragments.machine == 2);
    CHECK(fragments.busy == 2 * halves.busy);
    const InstructionCost doubles = cost_of_text("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64");
    CHECK(doubles.unit == Unit::doubles);
    CHECK(doubles.busy == 8);
    CHECK(cost_of_text("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16").latency == Latency::shared);
    CHECK(cost_of_text("wmma.store.d.sync.aligned.row.m16n16k16.global.f32").latency == Latency::none);
}
