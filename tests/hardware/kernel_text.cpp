#include "tests/hardware/kernel_text.h"

#include <fmt/format.h>

#include "tests/hardware/test_images.h"

namespace cudash::oracle {
namespace {

/// What every module has beside its kernels: constants, and functions to call.
constexpr std::string_view head =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"  // sm_90a: wgmma and setmaxnreg
    ".const .align 16 .b32 table[64] = {0x3F800000, 1, 0x80000000, 0x7F800001, 0x12345678, 0xFFFFFFFF, 7, 0x00FF8001,"
    " 0x40490FDB, 9, 0xC0000000, 11, 0x89ABCDEF, 13, 14, 0x80808080, 16, 17, 18, 19, 20, 21, 22, 23};\n"
    ".global .align 16 .b32 fixed[64] = {0xFFFFFFFF, 0x80007FFF, 0x00FF0180, 0x7F800001, 4, 5, 6, 7, 8, 9, 10, 11};\n"
    ".global .align 8 .b64 table_of_policies[1] = {0x12F0000000000000};\n"
    ".func (.param .b32 sum) triple(.param .b32 x) {\n.reg .b32 %r<3>;\nld.param.b32 %r0, [x];\n"
    "mul.lo.u32 %r1, %r0, 3;\nst.param.b32 [sum], %r1;\nret;\n}\n"
    ".func (.param .b32 sum) negate(.param .b32 x) {\n.reg .b32 %r<3>;\nld.param.b32 %r0, [x];\n"
    "neg.s32 %r1, %r0;\nst.param.b32 [sum], %r1;\nret;\n}\n"
    ".func (.param .align 16 .b8 to[32]) echo(.param .align 16 .b8 from[32]) {\n.reg .b64 %q<4>;\n"
    "ld.param.v2.b64 {%q0, %q1}, [from];\nld.param.v2.b64 {%q2, %q3}, [from+16];\n"
    "st.param.v2.b64 [to], {%q0, %q1};\nst.param.v2.b64 [to+16], {%q2, %q3};\nret;\n}\n";

std::string kernel_text(const InstructionCase& test, std::size_t index) {
    const std::vector<std::size_t> images = images_in(test.code);
    const std::string handles =
        images.empty() ? std::string() : fmt::format(", .param .align 8 .b8 images[{}]", 8 * test_images().size());
    std::string text = fmt::format(
        ".visible .entry {}(.param .u64 inputs, .param .u64 results{}) {{\n"
        ".reg .b64 %in, %out, %mem, %q<16>;\n.reg .b32 %thread, %shared, %r<32>;\n.reg .b16 %h<16>;\n.reg .pred "
        "%p<8>;\n"
        ".reg .b128 %o<4>;\n",
        kernel_name(index), handles);
    for (std::size_t i : images) text += fmt::format(".reg .b64 %{};\n", test_images()[i].name);
    auto declare = [&](const char* prefix, std::size_t i, const OperandKind& kind) {
        text += kind.bytes == 0 ? fmt::format(".reg .pred {}{};\n", prefix, i)
                                : fmt::format(".reg .b{} {}{};\n", kind.bytes * 8, prefix, i);
    };
    for (std::size_t i = 0; i < test.sources.size(); ++i)
        if (test.sources[i].literal.empty()) declare("%s", i, test.sources[i]);
    for (std::size_t i = 0; i < test.results.size(); ++i) declare("%d", i, test.results[i]);
    if (test.code.find("sh") != std::string::npos) text += ".shared .align 128 .b8 sh[4096];\n";
    if (test.code.find("lo[") != std::string::npos || test.code.find("[lo") != std::string::npos ||
        test.code.find(" lo") != std::string::npos)
        text += ".local .align 16 .b8 lo[64];\n";
    text +=
        "ld.param.u64 %in, [inputs];\nld.param.u64 %out, [results];\nmov.u32 %thread, %tid.x;\nmov.u32 %r0, %ctaid.x;\n"
        "mov.u32 %r1, %ntid.x;\nmad.lo.u32 %thread, %r0, %r1, %thread;\n";
    text += fmt::format("mad.wide.u32 %in, %thread, {}, %in;\n", test.source_columns() * 8);
    if (test.uses_memory) text += fmt::format("add.u64 %mem, %out, {};\n", test.threads() * test.result_columns() * 8);
    text += fmt::format("mad.wide.u32 %out, %thread, {}, %out;\n", test.result_columns() * 8);
    for (std::size_t i : images) text += fmt::format("ld.param.b64 %{}, [images+{}];\n", test_images()[i].name, 8 * i);
    std::size_t column = 0;
    for (std::size_t i = 0; i < test.sources.size(); ++i) {
        const OperandKind& source = test.sources[i];
        if (!source.literal.empty()) continue;
        if (source.bytes == 0) {
            text += fmt::format("ld.global.u32 %r0, [%in+{}];\nsetp.ne.u32 %s{}, %r0, 0;\n", column * 8, i);
        } else if (source.bytes == 16) {
            text += fmt::format(
                "ld.global.u64 %q0, [%in+{}];\nld.global.u64 %q1, [%in+{}];\nmov.b128 %s{}, {{%q0, %q1}};\n",
                column * 8, column * 8 + 8, i);
            ++column;
        } else {
            text += fmt::format("ld.global.b{} %s{}, [%in+{}];\n", source.bytes * 8, i, column * 8);
        }
        ++column;
    }
    text += test.code + "\n";
    for (std::size_t i = 0; i < test.results.size(); ++i) {
        const OperandKind& result = test.results[i];
        if (result.bytes == 0) {
            text += fmt::format("selp.u32 %r0, 1, 0, %d{};\nst.global.u32 [%out+{}], %r0;\n", i, i * 8);
        } else {
            text += fmt::format("st.global.b{} [%out+{}], %d{};\n", result.bytes * 8, i * 8, i);
        }
    }
    return text + "ret;\n}\n";
}

}  // namespace

std::string kernel_name(std::size_t index) {
    return fmt::format("case_{}", index);
}

std::string module_text(std::span<const std::size_t> cases) {
    std::string text(head);
    for (std::size_t index : cases) text += kernel_text(all_cases()[index], index);
    return text;
}

}  // namespace cudash::oracle
