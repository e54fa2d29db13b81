#include "runtime_wrappers/virtual_gpu/isa/instruction_cost.h"

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"

namespace cudash::virtual_gpu {
namespace cost {
namespace {

using ptx::Space;
using ptx::Type;

bool names(const ParsedModifiers& written, Type type) {
    return std::ranges::find(written.types, type) != written.types.end();
}
Type first_type(const ParsedModifiers& written) {
    return written.types.empty() ? Type::none : written.types.front();
}
bool in(const ParsedModifiers& written, Space space) {
    return std::ranges::find(written.spaces, space) != written.spaces.end();
}

/// The units that calculate with values of a type.
struct Units {
    Unit unit;
    Latency latency;
};
Units units_of(const ParsedModifiers& written) {
    if (names(written, Type::f64)) return {Unit::doubles, Latency::doubles};
    return {is_float(first_type(written)) ? Unit::single : Unit::integer, Latency::arithmetic};
}

/// So many machine instructions, one of them by the unit for special functions, whose result the others refine.
InstructionCost sequence(const ParsedModifiers& written, double machine) {
    const auto [unit, latency] = units_of(written);
    return {unit, machine, latency == Latency::doubles ? latency : Latency::special, machine - 1, 1};
}

/// Rows, columns and depth of m16n8k16.
struct Product {
    Mod size;
    double multiplications;
};
constexpr Product products[] = {
    {Mod::m8n8k4, 8 * 8 * 4},       {Mod::m8n8k16, 8 * 8 * 16},     {Mod::m16n8k4, 16 * 8 * 4},
    {Mod::m16n8k8, 16 * 8 * 8},     {Mod::m16n8k16, 16 * 8 * 16},   {Mod::m16n8k32, 16 * 8 * 32},
    {Mod::m8n8k32, 8 * 8 * 32},     {Mod::m8n8k128, 8 * 8 * 128},   {Mod::m16n8k64, 16 * 8 * 64},
    {Mod::m16n8k128, 16 * 8 * 128}, {Mod::m16n8k256, 16 * 8 * 256}, {Mod::m16n16k16, 16 * 16 * 16},
    {Mod::m32n8k16, 32 * 8 * 16},   {Mod::m8n32k16, 8 * 32 * 16},   {Mod::m16n16k8, 16 * 16 * 8},
};

/// Of an element of a and b: mma names d, a, b, c; wmma.mma of halves names d and c alone.
double element_bits(const ParsedModifiers& written) {
    if (names(written, Type::b1)) return 1;
    if (names(written, Type::s4) || names(written, Type::u4)) return 4;
    if (names(written, Type::tf32)) return 32;
    return written.types.size() < 4 ? 16 : 8 * type_bytes(written.types[1]);
}

/// A warp's quarter of wgmma.mma_async: all types have 256 bits of depth. The tensor cores are as fast as the H200's
/// data sheet says (989 TFLOPS of .f16: 2048 multiplications in a cycle of a multiprocessor), mma.m16n8k16 takes 1.66
/// cycles.
InstructionCost warpgroup_matrix(const ParsedModifiers& written) {
    const double halves = 16.0 * written.columns * 256 / 16;
    return {Unit::tensor, std::max(1.0, halves / 2048 / 1.66), Latency::tensor, halves / 32};
}

}  // namespace

InstructionCost arithmetic(const ParsedModifiers& written) {
    const auto [unit, latency] = units_of(written);
    return {unit, 1, latency};
}
InstructionCost integer(const ParsedModifiers&) {
    return {Unit::integer, 1, Latency::arithmetic};
}
InstructionCost comparison(const ParsedModifiers& written) {
    return names(written, Type::f64) ? arithmetic(written) : integer(written);
}
/// Of .f64 measured on an H200: min.f64 keeps the units for integers busy for 2.06 cycles, and its result takes 25.
InstructionCost extreme(const ParsedModifiers& written) {
    return names(written, Type::f64) ? InstructionCost{Unit::integer, 4, Latency::special} : integer(written);
}
/// Measured on an H200: cvt.rn.f32.f64 and cvt.f64.f32 after it take 4.25 cycles of a multiprocessor, and 36 in a
/// chain.
InstructionCost conversion(const ParsedModifiers& written) {
    return names(written, Type::f64) ? special(written) : integer(written);
}
InstructionCost division(const ParsedModifiers& written) {
    if (!is_float(first_type(written))) return sequence(written, 13);
    if (names(written, Type::f64)) return sequence(written, 20);
    if (written.set.has(Mod::approx)) return sequence(written, 2);
    return sequence(written, written.set.has(Mod::full) ? 8 : 10);
}
InstructionCost remainder(const ParsedModifiers& written) {
    return sequence(written, 15);
}
InstructionCost root(const ParsedModifiers& written) {
    return sequence(written, written.set.has(Mod::approx) ? 2 : 8);
}
InstructionCost reciprocal(const ParsedModifiers& written) {
    return written.set.has(Mod::approx) ? special(written) : sequence(written, 6);
}
InstructionCost special(const ParsedModifiers&) {
    return {Unit::special, 1, Latency::special, 0, 1};
}
InstructionCost move(const ParsedModifiers&) {
    return {Unit::none, 0, Latency::none};
}
InstructionCost load(const ParsedModifiers& written) {
    if (in(written, Space::param)) return move(written);
    if (in(written, Space::constant)) return {Unit::memory, 0.5, Latency::arithmetic};
    const bool shared = in(written, Space::shared), local = in(written, Space::local);
    return {Unit::memory, 1, shared ? Latency::shared : local ? Latency::local : Latency::global};
}
InstructionCost store(const ParsedModifiers& written) {
    return in(written, Space::param) ? move(written) : InstructionCost{Unit::memory, 1, Latency::none};
}
InstructionCost atomic(const ParsedModifiers& written) {
    if (in(written, Space::shared)) return {Unit::memory, 2, Latency::shared};
    return {Unit::memory, 1, Latency::global};
}
InstructionCost exchange(const ParsedModifiers&) {
    return {Unit::memory, 1, Latency::shared};
}
InstructionCost reduction(const ParsedModifiers&) {
    return {Unit::integer, 2, Latency::special};
}
InstructionCost texture(const ParsedModifiers&) {
    return {Unit::memory, 1, Latency::global};
}
/// Measured on an H200, mma of m16n8k16 on .f16, m16n8k8 on .tf32 and m16n8k32 on .s8: 1.66 cycles of a multiprocessor
/// each, and 33 in a chain: as many bits in each. m8n8k4 on .f64: 4.04, and 26, as its 256 fma would be.
InstructionCost matrix(const ParsedModifiers& written) {
    for (const Mod mod : {Mod::fence, Mod::commit_group, Mod::wait_group})
        if (written.set.has(mod)) return integer(written);
    if (written.set.has(Mod::load)) return in(written, Space::shared) ? exchange(written) : load(written);
    if (written.set.has(Mod::store)) return store(written);
    if (written.set.has(Mod::m64)) return warpgroup_matrix(written);
    const auto* const product =
        std::ranges::find_if(products, [&](const Product& each) { return written.set.has(each.size); });
    const double multiplications = product == std::end(products) ? 0 : product->multiplications;
    if (names(written, Type::f64)) return {Unit::doubles, 1, Latency::tensor, multiplications / 32};
    const double halves = multiplications * element_bits(written) / 16;
    return {Unit::tensor, std::max(1.0, halves / (16 * 8 * 16)), Latency::tensor, halves / 32};
}
InstructionCost copy(const ParsedModifiers& written) {
    for (const Mod mod : {Mod::commit_group, Mod::wait_group, Mod::wait_all})
        if (written.set.has(mod)) return integer(written);
    return {Unit::memory, 1, Latency::none};
}
InstructionCost branch(const ParsedModifiers&) {
    return {Unit::branch, 1, Latency::none};
}
InstructionCost call(const ParsedModifiers&) {
    return {Unit::branch, 2, Latency::none};
}
/// __syncwarp waits for no other warp.
InstructionCost barrier(const ParsedModifiers& written) {
    return written.set.has(Mod::warp) ? integer(written) : InstructionCost{Unit::barrier, 1, Latency::barrier};
}

}  // namespace cost

InstructionCost cost_of(const ptx::Instruction& written) {
    const InstructionRow* row = find_instruction(written.mnemonic);
    return row ? row->cost(parse_modifiers(written.modifiers)) : InstructionCost{};
}

}  // namespace cudash::virtual_gpu
