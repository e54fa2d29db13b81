// The PTX parser: what it understands, what it refuses and where, and that printing loses nothing.
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "runtime_wrappers/virtual_gpu/ptx/parser.h"
#include "runtime_wrappers/virtual_gpu/ptx/printer.h"

namespace {

using namespace cudash::ptx;

const std::string header = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// PTX of all the shapes that NVRTC and nvcc emit.
const std::string sample = header + R"(
.extern .func  (.param .b32 func_retval0) vprintf
(
	.param .b64 vprintf_param_0,
	.param .b64 vprintf_param_1
)
;
.func .noreturn _Z4stopv();
.weak .func (.param .align 8 .b8 func_retval0[8]) _Z3twoi(.param .b32 _Z3twoi_param_0);
.extern .shared .align 16 .b8 dynamic[];
.shared .align 4 .b8 tile[4096];
.global .align 8 .u64 table[3] = {0, generic(tile)+8, _Z3twoi};
.const .align 4 .b8 bytes[12] = {1, 0, 0, 0, 255};
.visible .global .attribute(.managed) .align 4 .u32 counter = 7;
.global .f32 reals[2][2] = {{0f3F800000, 1.5}, {-2.0, 0dC000000000000000}};
.global .u8 low_bytes[2] = {0xFF(counter), 0xFF00(counter+4)};
.common .global .align 4 .b32 shared_by_all;

	// .globl	kernel
.visible .entry kernel(
	.param .u64 .ptr .global .align 16 kernel_param_0,
	.param .align 8 .b8 kernel_param_1[24]
)
.maxntid 128, 2, 1
.minnctapersm 2
.reqnctapercluster 2, 1, 1
.explicitcluster
{
	.local .align 16 .b8 	__local_depot0[16];
	.reg .b64 	%SP, %SPL;
	.reg .pred 	%p<5>;
	.reg .b32 	%r<20>;
	.pragma "nounroll";
	.loc	1 10 0
	mov.u32 	%r1, %tid.x;
	setp.lt.and.s32 	%p1|%p2, %r1, -5, !%p3;
	@!%p1 bra.uni 	$L__BB0_2;
	shfl.sync.down.b32 	%r2|%p4, %r1, 16, 31, -1;
	ld.global.nc.L2::128B.v4.f32 	{%f1, _, %f3, %f4}, [%rd1+-16];
	tex.2d.v4.f32.f32 	{%f3, %f4, %f5, %f6}, [%rd3, {%f2, %f1}];
	vadd.s32.u32.s32.sat %r1, %r2.b0, %r3.h1;
	mov.b64 	{%r4, %r5}, %rd7;
	mov.u32 	%r6, WARP_SZ;
	mov.u64 	%rd8, tile+4;
	ld.shared.u32 %r7, [64];
	mov.u32 %r8, 0x1FU; mov.u32 %r9, 017; mov.u32 %r10, 0b101; mov.b64 %rd9, 0xFFFFFFFFFFFFFFFF;
	/* a comment
	   of two lines */
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [dst], [map, {%r1, %r2}], [bar];
	{ // callseq 0, 0
	.reg .b32 temp_param_reg;
	.param .b64 param0;
	st.param.b64 	[param0+0], %rd8;
	.param .b32 retval0;
	call.uni (retval0), 
	vprintf, 
	(
	param0, 
	param0
	);
	} // callseq 0
	call _Z4stopv;
	prototype_1 : .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);
	call (retval0), %rd12, (param0, param1), prototype_1;
	targets: .branchtargets $L__BB0_2, $L__BB0_3;
	brx.idx %r1, targets;
$L__BB0_2:
	.loc	1 11 2
	.loc	1 9 40, function_name $L__info_string0, inlined_at 1 11 2
	add.s32 %r1, %r1, 1;
	.loc	1 8 40, function_name $L__info_string0+4, inlined_at 1 9 40
	add.s32 %r1, %r1, 2;
$L__BB0_3:
	ret;
}
	.file	1 "kernel.cu"
	.section	.debug_str
	{
$L__info_string0:
.b8 95,90,51,97
.b8 98
.b8 0
	}
	.section .debug_line { .b8 1 { } }
)";

Module parse_or_fail(const std::string& text) {
    auto module = parse(text);
    if (!module) FAIL(module.error().message, " in line ", module.error().where.line);
    return std::move(*module);
}

/// The instructions of the module's last function.
std::vector<Instruction> instructions(const Module& module) {
    std::vector<Instruction> found;
    for (const Statement& statement : module.functions.back().body) {
        if (statement.kind == Statement::Kind::instruction) found.push_back(statement.instruction);
    }
    return found;
}

/// The only instruction of a kernel that is `text` alone.
Instruction parse_instruction(const std::string& text) {
    return instructions(parse_or_fail(header + ".entry k() {\n" + text + "\n}")).at(0);
}

void forget_lines(std::vector<Variable>& variables) {
    for (Variable& variable : variables) variable.location.ptx_line = 0;
}
void forget_lines(Module& module) {
    forget_lines(module.variables);
    for (Function& function : module.functions) {
        function.location.ptx_line = 0;
        forget_lines(function.results);
        forget_lines(function.parameters);
        for (Statement& statement : function.body) {
            statement.instruction.location.ptx_line = 0;
            statement.variable.location.ptx_line = 0;
            forget_lines(statement.prototype.results);
            forget_lines(statement.prototype.parameters);
        }
    }
}

void check_refused(const std::string& text, unsigned line, const std::string& message) {
    const auto module = parse(text);
    REQUIRE_FALSE(module);
    CHECK(module.error().message == message);
    CHECK(module.error().where.line == line);
    CHECK(module.error().code == "ptx-syntax");
}

}  // namespace

TEST_CASE("a module's head, variables and functions") {
    const Module module = parse_or_fail(sample);
    CHECK(module.version_major == 9);
    CHECK(module.target == "sm_90");
    REQUIRE(module.variables.size() == 8);
    CHECK(module.variables[0].is_extern);
    CHECK(module.variables[0].dimensions == std::vector<std::uint64_t>{0});
    const Initializer& address = module.variables[2].initializer->list[1];
    CHECK(address.generic);
    CHECK(address.scalar->name == "tile");
    CHECK(address.scalar->offset == 8);
    CHECK(module.variables[4].is_managed);
    CHECK(module.variables[5].initializer->list[1].list[0].scalar->bits == 0xC000000000000000);
    CHECK(module.variables[6].initializer->list[1].mask == 0xFF00);
    CHECK(module.variables[6].initializer->list[1].scalar->offset == 4);

    REQUIRE(module.functions.size() == 4);
    CHECK(module.functions[0].is_extern);
    CHECK_FALSE(module.functions[0].has_body);
    CHECK(module.functions[1].is_noreturn);
    CHECK(module.functions[2].results[0].dimensions == std::vector<std::uint64_t>{8});
    const Function& kernel = module.functions[3];
    CHECK(kernel.is_entry);
    CHECK(kernel.parameters[0].pointee->space == Space::global);
    CHECK(kernel.parameters[0].pointee->alignment == 16);
    CHECK(kernel.maxntid == std::vector<std::uint32_t>{128, 2, 1});
    CHECK(kernel.minnctapersm == 2);
    CHECK(kernel.is_explicit_cluster);
}

TEST_CASE("operands") {
    const auto pair = parse_instruction("setp.lt.and.s32 %p1|%p2, %r1, -5, !%p3;");
    CHECK(pair.modifiers == std::vector<std::string>{"lt", "and", "s32"});
    CHECK(pair.operands[0].kind == Operand::Kind::predicate_pair);
    CHECK(pair.operands[0].elements[1].name == "%p2");
    CHECK(pair.operands[2].integer == -5);
    CHECK(pair.operands[3].negated);

    const auto guarded = parse_instruction("@!%p1 bra L;");
    CHECK(guarded.guard == "%p1");
    CHECK(guarded.guard_negated);

    const auto load = parse_instruction("ld.global.nc.L2::128B.v2.f32 {%f1, _}, [%rd1+-16];");
    CHECK(load.modifiers[2] == "L2::128B");
    CHECK(load.operands[0].elements[1].kind == Operand::Kind::sink);
    CHECK(load.operands[1].name == "%rd1");
    CHECK(load.operands[1].offset == -16);

    const auto texture = parse_instruction("tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%rd3, {%f2, %f1}];");
    CHECK(texture.operands[1].name == "%rd3");
    CHECK(texture.operands[1].elements[0].elements[1].name == "%f1");

    const auto numbers = parse_instruction(
        "x 0x1F, 017, 0b101, 9U, -0xFFFFFFFFFFFFFFFF, WARP_SZ, [0x40], 0f3F800000, -0f3F800000, 0.5;");
    const auto& operands = numbers.operands;
    CHECK(operands[0].integer == 31);
    CHECK(operands[1].integer == 15);
    CHECK(operands[2].integer == 5);
    CHECK(operands[3].integer == 9);
    CHECK(operands[4].integer == 1);
    CHECK(operands[5].integer == 32);
    CHECK(operands[6].kind == Operand::Kind::address);
    CHECK(operands[6].integer == 64);
    CHECK(operands[7].bits == 0x3F800000);
    CHECK(operands[8].bits == 0xBF800000);
    CHECK_FALSE(operands[9].single);
    CHECK(operands[9].bits == 0x3FE0000000000000);
}

TEST_CASE("calls") {
    const auto plain = parse_instruction("call f;");
    CHECK(plain.call->callee.name == "f");
    CHECK(plain.call->results.empty());
    const auto full = parse_instruction("@%p1 call.uni (r0), %rd1, (a, b), proto;");
    CHECK(full.modifiers == std::vector<std::string>{"uni"});
    CHECK(full.call->results[0].name == "r0");
    CHECK(full.call->arguments[1].name == "b");
    CHECK(full.call->prototype == "proto");
    CHECK(parse_instruction("call %rd1, list;").call->prototype == "list");
}

TEST_CASE("source lines and inlined calls") {
    const Module module = parse_or_fail(sample);
    const Function& kernel = module.functions.back();
    CHECK(module.files == std::vector<std::string>{"", "kernel.cu"});
    REQUIRE(kernel.inline_sites.size() == 2);
    CHECK(kernel.inline_sites[0] == InlineSite{"_Z3ab", 1, 11, 2, -1});
    CHECK(kernel.inline_sites[1] == InlineSite{"b", 1, 9, 40, 0});
    const auto all = instructions(module);
    CHECK(all[0].location.line == 10);
    CHECK(all[0].location.ptx_line == 38);
    CHECK(all[all.size() - 3].location.inlined_at == 0);
    CHECK(all[all.size() - 2].location.line == 8);
    CHECK(all[all.size() - 2].location.inlined_at == 1);
}

TEST_CASE("printing loses nothing") {
    Module module = parse_or_fail(sample);
    const std::string text = print(module);
    Module again = parse_or_fail(text);
    CHECK(print(again) == text);
    forget_lines(module);
    forget_lines(again);
    CHECK(module == again);
    CHECK(print(parse_instruction("@!%p1   add.s32 %r1,%r2, -1 ;")) == "@!%p1 add.s32 %r1, %r2, -1;");
    CHECK(print(parse_instruction("call (r), f, (a,b);")) == "call (r), f, (a, b);");
}

TEST_CASE("errors say what was expected, and where") {
    check_refused("", 1, "expected .version at the beginning of the module, found the end of the text");
    check_refused(".version 9\n", 1, "expected a version like 9.0, found '9'");
    check_refused(header + "hello", 4, "expected a function or a variable, found 'hello'");
    check_refused(header + ".entry k() {\n add.s32 %r1, %r2 %r3;\n}", 5,
                  "expected ';' after the instruction, found '%r3'");
    check_refused(header + ".entry k() {\n ld.u32 %r1, [%r2;\n}", 5, "expected ']' after the address, found ';'");
    check_refused(header + ".global .u64 table[1] = {-other};", 4, "a variable's address can't be negated");
    check_refused(header + ".entry k() {\n ret;\n", 6, "expected a statement or '}', found the end of the text");
    check_refused(header + ".entry k() { mov.u32 %r1, 0x1FFFFFFFFFFFFFFFF; }", 4,
                  "expected a constant that fits 64 bits, found '0x1FFFFFFFFFFFFFFFF'");
    check_refused(header + ".global .u32 x[99999999999999999999];", 4,
                  "expected a number of elements, found '99999999999999999999'");
    check_refused(header + ".global x;", 4, "expected a type in a declaration, found 'x'");
    check_refused(header + "/* never", 4, "expected a function or a variable, found a comment that never ends");
    check_refused(header + ".entry k() { \x01 }", 4, "expected a statement or '}', found the stray byte 0x01");
    check_refused(header + ".entry k() .maxntid 1,2,3,4 {}", 4, "at most three dimensions may be given");
}

TEST_CASE("nesting is bounded") {
    check_refused(header + ".entry k() { x " + std::string(100000, '{') + "; }", 4, "operands are nested too deep");
    check_refused(header + ".global .u32 a[1] = " + std::string(100000, '{') + ";", 4,
                  "initializers are nested too deep");
    CHECK(parse(header + ".entry k() {" + std::string(100000, '{') + std::string(100001, '}')));
}

TEST_CASE("mutated modules give a module or a diagnostic") {
    std::mt19937 random(20240607);
    const std::string spice = "{}[]()<>,;:@!|+-=.%_$\"/*0x1Ufd \n\t";
    unsigned parsed = 0, refused = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string text = sample;
        for (unsigned change = 0; change <= random() % 4; ++change) {
            const std::size_t at = random() % text.size(), length = random() % 12;
            switch (random() % 4) {
                case 0:
                    text.erase(at, length);
                    break;
                case 1:
                    text.insert(at, 1, spice[random() % spice.size()]);
                    break;
                case 2:
                    text[at] = static_cast<char>(random());
                    break;
                default:
                    text.insert(at, text.substr(random() % text.size(), length));
            }
        }
        auto module = parse(text);
        if (!module) {
            ++refused;
            CHECK_FALSE(module.error().message.empty());
            CHECK(module.error().where.line > 0);
            continue;
        }
        ++parsed;
        Module again = parse_or_fail(print(*module));
        forget_lines(*module);
        forget_lines(again);
        CHECK(*module == again);
    }
    CHECK(parsed > 200);
    CHECK(refused > 500);
}

TEST_CASE("a kernel of 50,000 instructions and as many registers parses") {
    std::string text = header + ".entry k() {\n";
    for (int i = 0; i < 50000; ++i)
        text += "\t@%p1 fma.rn.f32 \t%f" + std::to_string(i) + ", %f2, [%rd1+16], 0f3F800000;\n";
    text += "}\n";
    CHECK(parse(text));
}
