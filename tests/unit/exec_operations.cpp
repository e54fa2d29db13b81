// What the columns of instructions.def and the identities of operations promise to a second executor.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/instruction.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"
#include "runtime_wrappers/virtual_gpu/isa/lane_operation.h"
#include "tests/unit/exec_harness.h"

using namespace cudash;
using namespace cudash::virtual_gpu;
using cudash::virtual_gpu::testing::Gpu;

namespace {

constexpr std::string_view text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    .reg .f32 %f<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    add.s32 %r2, %r1, 7;
    popc.b64 %r3, %rd1;
    mul.wide.s32 %rd2, %r2, %r3;
    fma.rn.f32 %f1, %f2, %f3, %f1;
    setp.lt.u32 %p, %r1, %r2;
@%p min.s32 %r2, %r2, %r3;
    st.global.u32 [%rd1], %r2;
    ret;
}
)";

const LaneOperation* operation_of(const Code& code, std::string_view mnemonic) {
    for (std::size_t i = 0; i < code.written.size(); ++i)
        if (code.written[i] && code.written[i]->mnemonic == mnemonic) return code.operations[i];
    return nullptr;
}

}  // namespace

TEST_CASE("an instruction's operation names its pure function and the function's signature") {
    using enum ptx::Type;
    Gpu gpu(text);
    const Program* program = gpu.module->program("k");
    REQUIRE(program);
    REQUIRE(program->unsupported.empty());
    const Code& code = *program->functions.front();
    struct Expected {
        std::string_view mnemonic, function;
        ptx::Type result;
        std::vector<ptx::Type> sources;
    };
    const Expected rows[] = {
        {"add", "semantics::add<int>", s32, {s32, s32}},        {"popc", "semantics::popc<", u32, {u64}},
        {"mul", "semantics::mul_wide<int>", s64, {s32, s32}},   {"fma", "semantics::fma_f32<", f32, {f32, f32, f32}},
        {"setp", "compare_lt<unsigned int>", pred, {u32, u32}}, {"min", "semantics::min<int>", s32, {s32, s32}},
    };
    for (const Expected& row : rows) {
        CAPTURE(row.mnemonic);
        const LaneOperation* operation = operation_of(code, row.mnemonic);
        REQUIRE(operation);
        CAPTURE(operation->function);
        CHECK(operation->function.find(row.function) != std::string_view::npos);
        CHECK(operation->result == row.result);
        CHECK(std::equal(row.sources.begin(), row.sources.end(), operation->sources.begin(),
                         operation->sources.begin() + operation->count));
    }
    CHECK(operation_of(code, "ld") == nullptr);
    CHECK(operation_of(code, "st") == nullptr);
}

TEST_CASE("the columns of a row agree with each other") {
    for (const InstructionRow& row : instruction_table()) {
        CAPTURE(row.mnemonic);
        const Behavior& behavior = row.behavior;
        if (behavior.control != Control::next) CHECK(row.instruction_class == Class::control);
        if (behavior.folded) CHECK(row.form == Form::da);
        if (behavior.meaning != Meaning::other) CHECK(row.instruction_class == Class::arithmetic);
        if (behavior.lockstep == LockstepForm::plain_access)
            CHECK((behavior.effect == Effect::load || behavior.effect == Effect::store));
        if (behavior.affine) CHECK(behavior.lockstep != LockstepForm::none);
        // What has no result must say itself what it does for a whole block.
        if (row.instruction_class == Class::arithmetic && shape_of(row.form).written == 0)
            CHECK(behavior.lockstep == LockstepForm::none);
    }
}
