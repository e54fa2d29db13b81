// Special functions of constants: isa/constant_folding.h. The values are those in ptxas's machine code.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "runtime_wrappers/virtual_gpu/isa/constant_folding.h"
#include "runtime_wrappers/virtual_gpu/ptx/parser.h"

using namespace cudash;

namespace {

/// The last instruction's mnemonic, modifiers and last operand: "mov.f32 3F64F92E".
std::string folded(const std::string& body) {
    auto module = ptx::parse(
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k() {\n"
        ".reg .f32 %a, %b, %c, %d; .reg .pred %p;\n" +
        body + "\n}\n");
    REQUIRE(module);
    ptx::Function function = module->functions.front();
    virtual_gpu::fold_constants(function);
    const ptx::Instruction& last = function.body.back().instruction;
    std::string text = last.mnemonic;
    for (const std::string& modifier : last.modifiers) text += "." + modifier;
    const ptx::Operand& operand = last.operands.back();
    return text + " " + (operand.name.empty() ? fmt::format("{:08X}", operand.bits) : operand.name);
}

}  // namespace

TEST_CASE("special functions of constants are rounded exactly") {
    CHECK(folded("rsqrt.approx.f32 %d, 0f3FA00000;") == "mov.f32 3F64F92E");
    CHECK(folded("mov.f32 %a, 0f3FA00000; rsqrt.approx.f32 %d, %a;") == "mov.f32 3F64F92E");
    CHECK(folded("rcp.approx.ftz.f32 %d, 0f00400000;") == "mov.f32 7F800000");
    CHECK(folded("rcp.approx.f32 %d, 0f00400000;") == "mov.f32 7F000000");
    CHECK(folded("ex2.approx.ftz.f32 %d, 0f3F000000;") == "mov.f32 3FB504F3");
    CHECK(folded("div.approx.f32 %d, %b, 0f40400000;") == "mul.f32 3EAAAAAB");
    CHECK(folded("div.full.ftz.f32 %d, %b, 0f40400000;") == "mul.ftz.f32 3EAAAAAB");
}

TEST_CASE("what is not a constant, or is not folded") {
    CHECK(folded("mov.f32 %a, 0f3FA00000; @%p mov.f32 %a, 0f40000000; rsqrt.approx.f32 %d, %a;") ==
          "rsqrt.approx.f32 %a");
    CHECK(folded("tanh.approx.f32 %d, 0f3FA00000;") == "tanh.approx.f32 3FA00000");
    CHECK(folded("div.rn.f32 %d, %b, 0f40400000;") == "div.rn.f32 40400000");
    CHECK(folded("div.full.f32 %d, %b, 0f7F000000;") == "div.full.f32 7F000000");
}
