// wgmma: operands of small whole numbers, whose products every way to add gives, are laid out in shared memory by the
// table of "Canonical Layouts" in the PTX ISA.
#include <fmt/format.h>

#include "runtime_wrappers/virtual_gpu/isa/semantics.h"
#include "tests/unit/exec_harness.h"

using namespace cudash;
using namespace cudash::virtual_gpu;
using cudash::virtual_gpu::testing::Gpu;

namespace {

constexpr unsigned area_bytes = 40960, b_begins = 8192;

struct Product {
    const char* d;
    const char* a;
    const char* b;
    unsigned columns;
    unsigned a_width, b_width;  ///< bytes of a swizzled row; 16: none, 0: a is in registers
    bool transposed_a = false, transposed_b = false;
    const char* signs = "1, 1";
    bool adds = true;
};

unsigned bits_of(std::string_view type) {
    if (type == "tf32" || type == "f32" || type == "s32") return 32;
    if (type == "f16" || type == "bf16") return 16;
    return type == "b1" ? 1 : 8;
}

std::uint32_t encoded(std::string_view type, int value) {
    const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    const std::uint32_t sign = value < 0 ? 0x80 : 0, size = static_cast<std::uint32_t>(std::abs(value));
    if (type == "f16")
        return semantics::round_to<semantics::format_f16, semantics::Rounding::rn>(static_cast<float>(value));
    if (type == "bf16") return single >> 16;
    if (type == "e4m3") return size == 0 ? 0 : sign | (size == 1 ? 0x38u : 0x40u);
    if (type == "e5m2") return size == 0 ? 0 : sign | (size == 1 ? 0x3Cu : 0x40u);
    return bits_of(type) == 32 ? single : static_cast<std::uint32_t>(value) & 0xFF;
}

/// Small numbers of which each type has those that it can have.
int value_at(std::string_view type, unsigned line, unsigned k, unsigned salt) {
    const int value = static_cast<int>((line * 7 + k * (3 + salt) + salt * (line / 8) + k / 8) % 5) - 2;
    if (type == "b1") return value & 1;
    return type == "u8" ? std::abs(value) : value;
}

unsigned swizzled(unsigned address, unsigned width) {
    return address ^ (address & (width / 16 - 1) << 7) >> 3;
}

/// Where byte `at` of a line's 32 lies; of a transposed operand, element at / 2.
unsigned place(unsigned line, unsigned at, unsigned width, bool transposed, unsigned lines) {
    if (!transposed)
        return width == 16 ? line % 8 * 16 + line / 8 * 256 + at % 16 + at / 16 * 128
                           : swizzled(line % 8 * width + line / 8 * 8 * width + at, width);
    const unsigned across = line * 2, k = at / 2;
    if (width == 16) return across % 16 + across / 16 * 128 + k % 8 * 16 + k / 8 * (lines / 8 * 128) + at % 2;
    return swizzled(across % width + across / width * 16 * width + k % 8 * width + k / 8 * 8 * width, width) + at % 2;
}

/// leading and stride offset of such an operand, and its mode.
std::uint64_t descriptor(unsigned begin, unsigned width, bool transposed, unsigned lines) {
    const unsigned leading = transposed ? width == 16 ? lines / 8 * 128 : 16 * width : width == 16 ? 128 : 16;
    const unsigned stride = width == 16 ? transposed ? 128 : 256 : 8 * width;
    const std::uint64_t mode = width == 16 ? 0 : width == 128 ? 1 : width == 64 ? 2 : 3;
    return begin >> 4 | std::uint64_t{leading >> 4} << 16 | std::uint64_t{stride >> 4} << 32 | mode << 62;
}

using LineBytes = std::array<std::uint8_t, 32>;
LineBytes line_of(std::string_view type, unsigned line, unsigned salt) {
    LineBytes bytes{};
    const unsigned bits = bits_of(type);
    for (unsigned k = 0; k < 256 / bits; ++k) {
        const int value = value_at(type, line, k, salt);
        const std::uint32_t element = encoded(type, value);
        if (bits == 1)
            bytes[k / 8] |= static_cast<std::uint8_t>(value << k % 8);
        else
            std::memcpy(&bytes[k * bits / 8], &element, bits / 8);
    }
    return bytes;
}

unsigned registers_of(const Product& product) {
    return product.columns * bits_of(product.d) / 64;
}

std::string list_of(const char* name, unsigned count) {
    std::string text = "{";
    for (unsigned r = 0; r < count; ++r) text += fmt::format("{}{}{}", r == 0 ? "" : ", ", name, r);
    return text + "}";
}

std::string kernel_of(const Product& product, unsigned depth) {
    const bool is_bit = std::string_view(product.a) == "b1", real = std::string_view(product.d) != "s32";
    std::string immediates = real ? fmt::format(", {}", product.signs) : "";
    if (bits_of(product.a) == 16)
        immediates += product.a_width == 0
                          ? fmt::format(", {}", product.transposed_b ? 1 : 0)
                          : fmt::format(", {}, {}", product.transposed_a ? 1 : 0, product.transposed_b ? 1 : 0);
    std::string text = fmt::format(
        ".version 8.0\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 registers, .param .u64 out, .param .u64 a, .param .u64 b, "
        ".param .u32 adds, .param .u32 before) {{\n"
        ".shared .align 1024 .b8 area[{}];\n.reg .b64 %q<8>;\n.reg .b32 %r<8>, %a<4>, %d<128>;\n.reg .pred %p<2>;\n"
        "mov.u32 %r0, %tid.x;\nmov.u32 %r1, area;\nmad.lo.u32 %r1, %r0, 4, %r1;\nld.param.u64 %q0, [in];\n"
        "mad.wide.u32 %q0, %r0, 4, %q0;\nmov.u32 %r2, 0;\nCOPY: ld.global.u32 %r3, [%q0];\nst.shared.u32 [%r1], %r3;\n"
        "add.u64 %q0, %q0, 512;\nadd.u32 %r1, %r1, 512;\nadd.u32 %r2, %r2, 512;\nsetp.lt.u32 %p0, %r2, {};\n"
        "@%p0 bra COPY;\nfence.proxy.async;\nbar.sync 0;\nld.param.u64 %q1, [registers];\n"
        "mad.wide.u32 %q1, %r0, 16, %q1;\nld.global.v4.u32 {{%a0, %a1, %a2, %a3}}, [%q1];\nld.param.u64 %q2, [a];\n"
        "ld.param.u64 %q3, [b];\nmov.u32 %r6, area;\nshr.u32 %r6, %r6, 4;\ncvt.u64.u32 %q5, %r6;\n"
        "add.u64 %q2, %q2, %q5;\nadd.u64 %q3, %q3, %q5;\nld.param.u32 %r4, [adds];\nsetp.ne.u32 %p1, %r4, "
        "0;\nld.param.u32 %r5, [before];\n",
        area_bytes, area_bytes);
    const unsigned registers = registers_of(product);
    for (unsigned r = 0; r < registers; ++r) text += fmt::format("mov.b32 %d{}, %r5;\n", r);
    text += fmt::format(
        "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n{}k{}.{}.{}.{}{} {}, {}, %q3, %p1{};\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nld.param.u64 %q4, [out];\n"
        "mad.wide.u32 %q4, %r0, {}, %q4;\n",
        product.columns, depth, product.d, product.a, product.b, is_bit ? ".and.popc" : "", list_of("%d", registers),
        product.a_width == 0 ? list_of("%a", 4) : "%q2", immediates, registers * 4);
    for (unsigned r = 0; r < registers; ++r) text += fmt::format("st.global.u32 [%q4+{}], %d{};\n", r * 4, r);
    return text + "ret;\n}\n";
}

/// "Register fragments for wgmma matrix D": the register of thread `thread` that has this element, and its place there.
struct Holder {
    unsigned thread, slot;
};
Holder holder_of(unsigned row, unsigned column) {
    return {row / 16 * 32 + row % 8 * 4 + column % 8 / 2, column / 8 * 4 + row % 16 / 8 * 2 + column % 2};
}

void check_product(const Product& product) {
    CAPTURE(std::string(product.d));
    CAPTURE(std::string(product.a));
    CAPTURE(std::string(product.b));
    CAPTURE(product.columns);
    CAPTURE(product.a_width);
    CAPTURE(product.b_width);
    const unsigned depth = 256 / bits_of(product.a), registers = registers_of(product);
    Gpu gpu(kernel_of(product, depth));
    auto [in_address, in] = gpu.array<std::uint8_t>(area_bytes);
    auto [a_address, a_registers] = gpu.array<std::uint32_t>(128 * 4);
    auto [out_address, out] = gpu.array<std::uint32_t>(128 * registers);
    for (unsigned row = 0; row < 64; ++row) {
        const LineBytes line = line_of(product.a, row, 0);
        for (unsigned at = 0; at < 32 && product.a_width != 0; ++at)
            in[place(row, at, product.a_width, product.transposed_a, 64)] = line[at];
        for (unsigned word = 0; word < 8 && product.a_width == 0; ++word)
            std::memcpy(&a_registers[(row / 16 * 32 + row % 8 * 4 + word % 4) * 4 + word / 4 * 2 + row % 16 / 8],
                        &line[word * 4], 4);
    }
    for (unsigned column = 0; column < product.columns; ++column) {
        const LineBytes line = line_of(product.b, column, 1);
        for (unsigned at = 0; at < 32; ++at)
            in[b_begins + place(column, at, product.b_width, product.transposed_b, product.columns)] = line[at];
    }
    const bool half = std::string_view(product.d) == "f16", whole = std::string_view(product.d) == "s32";
    const std::uint32_t before = half ? 0x42004200 : whole ? 3 : std::bit_cast<std::uint32_t>(3.0f);
    const std::uint64_t a = descriptor(0, product.a_width, product.transposed_a, 64);
    const std::uint64_t b = descriptor(b_begins, product.b_width, product.transposed_b, product.columns);
    gpu.run("k", 1, 128, in_address, a_address, out_address, a, b, product.adds ? 1u : 0u, before);
    const int sign = std::string_view(product.signs) == "1, -1" ? -1 : 1;
    unsigned wrong = 0;
    for (unsigned row = 0; row < 64; ++row)
        for (unsigned column = 0; column < product.columns; ++column) {
            int sum = 0;
            for (unsigned k = 0; k < depth; ++k)
                sum += value_at(product.a, row, k, 0) * value_at(product.b, column, k, 1);
            const int expected = (product.adds ? 3 : 0) + sign * sum;
            const auto [thread, slot] = holder_of(row, column);
            const std::uint32_t word = out[thread * registers + (half ? slot / 2 : slot)];
            const double given = half    ? semantics::widen<semantics::format_f16>(word >> slot % 2 * 16 & 0xFFFF)
                                 : whole ? static_cast<std::int32_t>(word)
                                         : std::bit_cast<float>(word);
            wrong += given != expected;
        }
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("wgmma multiplies matrices of every type, from shared memory and from registers") {
    for (const unsigned a_width : {16u, 0u}) {
        check_product({"f32", "f16", "f16", 16, a_width, 16});
        check_product({"f16", "f16", "f16", 64, a_width, 16});
        check_product({"f32", "bf16", "bf16", 8, a_width, 16});
        check_product({"f32", "tf32", "tf32", 24, a_width, 16});
        check_product({"f32", "e4m3", "e5m2", 40, a_width, 16});
        check_product({"f16", "e5m2", "e4m3", 32, a_width, 16});
        check_product({"s32", "s8", "u8", 32, a_width, 16});
        check_product({"s32", "b1", "b1", 16, a_width, 16});
    }
}

TEST_CASE("wgmma reads swizzled operands, by rows and by columns") {
    for (const unsigned width : {16u, 32u, 64u, 128u}) {
        check_product({"f32", "f16", "f16", 256, width, width});
        check_product({"f32", "tf32", "tf32", 72, width, width});
        check_product({"s32", "s8", "s8", 96, width, width});
        check_product({"f32", "bf16", "bf16", 64, width, width, true, false});
        check_product({"f32", "f16", "f16", 128, width, width, false, true});
        check_product({"f32", "f16", "f16", 64, width, width, true, true});
        check_product({"f32", "f16", "f16", 192, 0, width, false, true});
    }
}

TEST_CASE("wgmma takes its operands negative, and leaves out what d was") {
    check_product({"f32", "f16", "f16", 16, 16, 16, false, false, "1, -1"});
    check_product({"f32", "f16", "f16", 16, 16, 16, false, false, "-1, -1"});
    check_product({"f32", "e4m3", "e4m3", 16, 16, 16, false, false, "1, -1", false});
    check_product({"s32", "u8", "s8", 16, 16, 16, false, false, "1, 1", false});
}

TEST_CASE("an operand of wgmma past the block's shared memory ends the kernel") {
    const Product product{"f32", "f16", "f16", 16, 16, 16};
    Gpu gpu(kernel_of(product, 16));
    auto [in_address, in] = gpu.array<std::uint8_t>(area_bytes);
    auto [a_address, a] = gpu.array<std::uint32_t>(128 * 4);
    auto [out_address, out] = gpu.array<std::uint32_t>(128 * registers_of(product));
    const std::uint64_t fits = descriptor(0, 16, false, 64), past = descriptor(area_bytes - 256, 16, false, 16);
    const LaunchOutcome outcome =
        gpu.launch("k", {1, 1, 1}, {128, 1, 1}, 0, false, in_address, a_address, out_address, fits, past, 1u, 0u);
    CHECK(outcome.status == LaunchStatus::illegal_address);
    REQUIRE(!outcome.diagnostics.empty());
    CHECK(outcome.diagnostics.front().message.find("past the end of area") != std::string::npos);
}
