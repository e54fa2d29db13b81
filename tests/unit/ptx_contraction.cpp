// Which products and sums become one fma: isa/contraction.h.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/contraction.h"
#include "runtime_wrappers/virtual_gpu/ptx/parser.h"
#include "runtime_wrappers/virtual_gpu/ptx/printer.h"

using namespace cudash;

namespace {

ptx::Function contracted(const std::string& body, const std::string& type = "f32") {
    const std::string text = fmt::format(
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k() {{\n"
        ".reg .{} %a, %b, %c, %d, %e, %f, %g, %h, %t<64>; .reg .u64 %out; .reg .pred %p;\n{}\nret;\n}}\n",
        type, body);
    auto module = ptx::parse(text);
    REQUIRE(module);
    ptx::Function function = module->functions.front();
    virtual_gpu::contract_products(function);
    return function;
}

/// Its arithmetic: "fma.rn.f32 %t2 %a %b -%c".
std::string arithmetic(const std::string& body, const std::string& type = "f32") {
    std::string text;
    for (const ptx::Statement& each : contracted(body, type).body) {
        const ptx::Instruction& instruction = each.instruction;
        if (each.kind != ptx::Statement::Kind::instruction || instruction.mnemonic == "st" ||
            instruction.mnemonic == "ret")
            continue;
        if (!text.empty()) text += "; ";
        text += instruction.mnemonic;
        for (const ptx::Operand& operand : instruction.operands)
            text += fmt::format(" {}{}", operand.negated ? "-" : "", operand.name.empty() ? "#" : operand.name);
    }
    return text;
}

constexpr std::uint64_t fnv(std::string_view text) {
    std::uint64_t value = 0xcbf29ce484222325;
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return value;
}

/// As tests/hardware/contraction/record counts: what differs in sign alone is rounded alike.
struct Value {
    int sign = 1;
    std::uint64_t expression = 0;
    Value operator-() const { return {-sign, expression}; }
    friend auto operator<=>(const Value& x, const Value& y) {
        return std::pair(x.expression, x.sign) <=> std::pair(y.expression, y.sign);
    }
    friend bool operator==(const Value&, const Value&) = default;
};

Value product(Value x, Value y) {
    const auto [first, second] = std::minmax(x.expression, y.expression);
    return {x.sign * y.sign, fnv(fmt::format("mul {:x} {:x}", first, second))};
}
Value total(Value x, Value y) {
    const Value first = std::min(x, y), second = std::max(x, y);
    return {first.sign,
            fnv(fmt::format("add {:x} {} {:x}", first.expression, second.sign * first.sign, second.expression))};
}
Value fused(Value x, Value y, Value z) {
    const int sign = x.sign * y.sign;
    const auto [first, second] = std::minmax(x.expression, y.expression);
    return {sign, fnv(fmt::format("fma {:x} {:x} {} {:x}", first, second, z.sign * sign, z.expression))};
}

/// What the function stores, in order.
std::string stored(const ptx::Function& function) {
    std::map<std::string, Value> values;
    for (const char name : std::string("abcdefgh"))
        values[std::string("%") + name] = {1, fnv(std::string_view(&name, 1))};
    std::string text = "=";
    for (const ptx::Statement& each : function.body) {
        if (each.kind != ptx::Statement::Kind::instruction || each.instruction.mnemonic == "ret") continue;
        const auto& operands = each.instruction.operands;
        const auto value = [&](std::size_t i) {
            const Value read = values.at(operands[i].name);
            return operands[i].negated ? -read : read;
        };
        const std::string& mnemonic = each.instruction.mnemonic;
        if (mnemonic == "st") {
            text += fmt::format(" {}{:016x}", value(1).sign > 0 ? '+' : '-', value(1).expression);
            continue;
        }
        values[operands[0].name] = mnemonic == "mul"   ? product(value(1), value(2))
                                   : mnemonic == "add" ? total(value(1), value(2))
                                   : mnemonic == "sub" ? total(value(1), -value(2))
                                   : mnemonic == "neg" ? -value(1)
                                                       : fused(value(1), value(2), value(3));
    }
    return text;
}

}  // namespace

TEST_CASE("contraction: sums, differences, signs") {
    const std::string store = "st.global.f32 [%out], %t2;";
    CHECK(arithmetic("mul.f32 %t1, %a, %b; add.f32 %t2, %t1, %c;" + store) == "fma %t2 %a %b %c");
    CHECK(arithmetic("mul.f32 %t1, %a, %b; sub.f32 %t2, %t1, %c;" + store) == "fma %t2 %a %b -%c");
    CHECK(arithmetic("mul.f32 %t1, %a, %b; sub.f32 %t2, %c, %t1;" + store) == "fma %t2 -%a %b %c");
    CHECK(arithmetic("mul.f32 %t1, %a, %b; neg.f32 %t3, %t1; sub.f32 %t2, %c, %t3;" + store) == "fma %t2 %a %b %c");
    CHECK(arithmetic("mul.f32 %t1, %a, %b; mov.f32 %t3, %t1; add.f32 %t2, %c, %t3;" + store) == "fma %t2 %a %b %c");
    CHECK(arithmetic("mul.f32 %t1, %a, 0f40400000; add.f32 %t2, %t1, 0f3F800000;" + store) == "fma %t2 %a # #");
    CHECK(arithmetic("mul.f32 %t1, %c, %d; mul.f32 %t3, %a, %b; sub.f32 %t2, %t3, %t1;" + store) ==
          "mul %t1 %c %d; fma %t2 %a %b -%t1");
    CHECK(arithmetic("mul.f32 %t1, %a, %b; @%p add.f32 %t2, %t1, %c;" + store) == "fma %t2 %a %b %c");
}

TEST_CASE("contraction: other types") {
    for (const std::string type : {"f64", "f16", "bf16", "f16x2", "bf16x2"}) {
        const std::string registers = type == "f64" ? "f64" : type.ends_with("x2") ? "b32" : "b16";
        CHECK(arithmetic(fmt::format("mul.{0} %t1, %a, %b; sub.{0} %t2, %c, %t1;", type), registers) ==
              "fma %t2 -%a %b %c");
    }
}

TEST_CASE("contraction: what stays apart") {
    for (const std::string body : {
             "mul.rn.f32 %t1, %a, %b; add.f32 %t2, %t1, %c;",
             "mul.f32 %t1, %a, %b; add.rn.f32 %t2, %t1, %c;",
             "mul.ftz.f32 %t1, %a, %b; add.f32 %t2, %t1, %c;",
             "mul.f32 %t1, %a, %b; add.ftz.f32 %t2, %t1, %c;",
             "mul.sat.f32 %t1, %a, %b; add.f32 %t2, %t1, %c;",
             "mul.f32 %t1, %a, %b; add.f32 %t2, %t1, %t1;",
             "mul.f32 %t1, %a, %b; add.f32 %t2, %t1, %c; st.global.f32 [%out], %t1;",
             "mul.f32 %t1, %a, %b; membar.cta; add.f32 %t2, %t1, %c;",
             "mul.f32 %t1, %a, %b; @%p bra L; add.f32 %t2, %t1, %c; L:",
             "mul.f32 %t1, %a, %b; L: add.f32 %t2, %t1, %c;",
             "@%p mul.f32 %t1, %a, %b; add.f32 %t2, %t1, %c;",
             "mul.f32 %t1, %a, %b; mov.f32 %a, %d; add.f32 %t2, %t1, %c;",  // ptxas keeps the old %a; nobody writes it
             "{ .reg .f32 %a; mul.f32 %t1, %a, %b; } mov.f32 %t1, %c; add.f32 %t2, %t1, %c;",
         }) {
        CAPTURE(body);
        CHECK(arithmetic(body).find("fma") == std::string::npos);
    }
    // Nothing between them that ends a basic block.
    CHECK(arithmetic("mul.f32 %t1, %a, %b; bar.sync 0; st.global.f32 [%out], %c; add.f32 %t2, %t1, %c;") ==
          "bar #; fma %t2 %a %b %c");
}

TEST_CASE("contraction: a constant factor reaches into other blocks") {
    const std::string load = "ld.global.f32 %a, [%out]; ld.global.f32 %b, [%out+4];";
    CHECK(arithmetic(load + "mul.f32 %t1, %a, 0f42C80000; add.f32 %t2, %t1, %c; @%p bra L; add.f32 %t3, %t1, %d; L:") ==
          "ld %a %out; ld %b %out; fma %t2 %a # %c; bra L; fma %t3 %a # %d");
    CHECK(arithmetic(load + "mov.f32 %t4, 0f42C80000; mul.f32 %t1, %t4, %a; L: sub.f32 %t2, %c, %t1;") ==
          "ld %a %out; ld %b %out; mov %t4 #; fma %t2 -%t4 %a %c");
    CHECK(arithmetic(load + "ld.param.f32 %t4, [size]; mul.f32 %t1, %a, %t4; L: add.f32 %t2, %t1, %c;") ==
          "ld %a %out; ld %b %out; ld %t4 size; fma %t2 %a %t4 %c");
    for (const std::string body : {
             "mul.f32 %t1, %a, %b; L: add.f32 %t2, %t1, %c;",
             "mul.f32 %t1, %a, 0f42C80000; L: add.f32 %t2, %t1, %c; st.global.f32 [%out], %t1;",
             "ld.global.f32 %t4, [%out]; mul.f32 %t1, %a, %t4; L: add.f32 %t2, %t1, %c;",
             "mul.f32 %t1, %a, 0f42C80000; L: mov.f32 %a, %d; add.f32 %t2, %t1, %c;",
         }) {
        CAPTURE(body);
        CHECK(arithmetic(load + body).find("fma") == std::string::npos);
    }
}

TEST_CASE("contraction: quotients") {
    CHECK(arithmetic("div.approx.f32 %t1, %a, %b; sub.f32 %t2, %c, %t1;") == "div %t2 -%a %b %c");
    CHECK(arithmetic("div.full.ftz.f32 %t1, %a, %b; sub.ftz.f32 %t2, %t1, %c;") == "div %t2 %a %b -%c");
    CHECK(arithmetic("mul.f32 %t3, %d, %e; div.approx.f32 %t1, %a, %b; add.f32 %t2, %t1, %t3;") ==
          "mul %t3 %d %e; div %t2 %a %b %t3");
    for (const std::string body : {"div.rn.f32 %t1, %a, %b; add.f32 %t2, %t1, %c;",
                                   "div.approx.f32 %t1, %a, %b; add.f32 %t2, %t1, %c; mul.f32 %t3, %t1, %d;",
                                   "div.approx.f32 %t1, %a, %b; L: add.f32 %t2, %t1, %c;"}) {
        CAPTURE(body);
        CHECK(arithmetic(body).find("add %t2 %t1 %c") != std::string::npos);
    }
}

TEST_CASE("contraction: of two products") {
    // The one with fewer uses; what it leaves behind is not fused elsewhere.
    CHECK(arithmetic("mul.f32 %t1, %a, %b; mul.f32 %t2, %c, %d; add.f32 %t3, %t1, %t2; add.f32 %t4, %t1, %e;") ==
          "mul %t1 %a %b; fma %t3 %c %d %t1; add %t4 %t1 %e");
    // As many uses: the first, and the other one is fused before it lost.
    CHECK(arithmetic("mul.f32 %t1, %a, %b; add.f32 %t2, %t1, %c; mul.f32 %t3, %d, %e; sub.f32 %t4, %t3, %t1;"
                     "add.f32 %t5, %t3, %f;") ==
          "mul %t1 %a %b; fma %t2 %a %b %c; fma %t4 %d %e -%t1; fma %t5 %d %e %f");
}

TEST_CASE("contraction: no text is too much") {
    // Registers that are copied in a circle.
    CHECK(
        arithmetic("mul.f32 %t1, %a, %b; L: add.f32 %t2, %t3, %t1; mov.f32 %t3, %t4; mov.f32 %t4, %t3;").find("fma") ==
        std::string::npos);
    CHECK(arithmetic("mul.f32 %t1, %a, %b; mov.f32 %t3, %t4; mov.f32 %t4, %t3; sub.f32 %t2, %t3, %t1;") ==
          "mov %t3 %t4; mov %t4 %t3; fma %t2 -%a %b %t3");
    // A chain of copies that would be deeper than the stack.
    std::string chain = "mul.f32 %r0, %a, %b;";
    for (unsigned i = 0; i < 200'000; ++i) chain += fmt::format("mov.f32 %r{}, %r{};", i + 1, i);
    const ptx::Function made = contracted(".reg .f32 %r<200001>;" + chain + "add.f32 %t1, %r200000, %c;");
    CHECK(std::ranges::none_of(made.body, [](const auto& each) { return each.instruction.mnemonic == "fma"; }));
    // Many sums in one block.
    std::string sums = ".reg .f32 %s<60001>;";
    for (unsigned i = 0; i < 60'000; i += 2)
        sums += fmt::format("mul.f32 %s{}, %a, %b; add.f32 %s{}, %s{}, %c;", i, i + 1, i);
    CHECK(std::ranges::count_if(contracted(sums).body,
                                [](const auto& each) { return each.instruction.mnemonic == "fma"; }) == 30'000);
}

TEST_CASE("contraction: as ptxas does it") {
    std::ifstream file(CUDASH_SOURCE_DIR "/tests/hardware/contraction/sequences_sm_90.txt");
    std::string body, expected;
    unsigned sequences = 0, differ = 0;
    while (std::getline(file, body)) {
        if (body.starts_with('#')) continue;
        REQUIRE(std::getline(file, expected));
        ++sequences;
        if (stored(contracted(body)) != expected) ++differ;
    }
    CHECK(sequences == 1000);
    // One of the 200 with 25 instructions: registers decide there, too.
    CHECK(differ <= 1);
    MESSAGE(differ, " of ", sequences, " differ");
}
