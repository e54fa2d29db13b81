// mma, wmma. Integers add up exactly, .f64 in steps of fma, other types as semantics_tensor.h says.
#include <array>

#include "runtime_wrappers/virtual_gpu/exec/collective.h"
#include "runtime_wrappers/virtual_gpu/exec/matrix_places.h"
#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/isa/matrix_work.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics_tensor.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;
using ptx::Space;

constexpr unsigned largest = 16 * 256;
template <class Number>
using Matrix = std::array<Number, largest>;

std::uint64_t read_slot(Warp& w, const std::uint32_t* list, const FragmentShape& shape, unsigned lane, unsigned slot) {
    const unsigned bits = shape.element_bits();
    if (bits == 64) return lanes<std::uint64_t>(w, list[slot])[lane];
    const std::uint32_t word = lanes<std::uint32_t>(w, list[slot / shape.per_register()])[lane];
    return word >> (slot % shape.per_register() * bits);
}
void write_slot(Warp& w, const std::uint32_t* list, const FragmentShape& shape, unsigned lane, unsigned slot,
                std::uint64_t bits) {
    const unsigned width = shape.element_bits();
    if (width == 64) {
        lanes<std::uint64_t>(w, list[slot])[lane] = bits;
        return;
    }
    std::uint32_t& word = lanes<std::uint32_t>(w, list[slot / shape.per_register()])[lane];
    const unsigned shift = slot % shape.per_register() * width;
    const std::uint32_t mask = (width == 32 ? ~0u : (1u << width) - 1) << shift;
    word = (word & ~mask) | (static_cast<std::uint32_t>(bits) << shift & mask);
}

std::int64_t decode_integer(ptx::Type type, std::uint64_t bits) {
    switch (type) {
        case s8:
            return static_cast<std::int8_t>(bits);
        case u8:
            return static_cast<std::uint8_t>(bits);
        case s4:
            return static_cast<std::int8_t>(bits << 4) >> 4;
        case u4:
            return static_cast<std::int64_t>(bits & 0xF);
        case b1:
            return static_cast<std::int64_t>(bits & 1);
        default:
            return static_cast<std::int32_t>(bits);
    }
}
template <class Number>
Number decode_element(ptx::Type type, std::uint64_t bits) {
    if constexpr (std::is_same_v<Number, double>) return std::bit_cast<double>(bits);
    return static_cast<Number>(decode_integer(type, bits));
}

/// The tensor cores take 8-bit operands as .f16.
void decode_real(ptx::Type type, std::uint64_t bits, TensorOperand& operand, unsigned at) {
    constexpr int least_f16 = -14, least_f32 = -126;
    switch (type) {
        case f16:
            return operand.set(at, widen<format_f16>(bits & 0xFFFF), least_f16);
        case e4m3:
            return operand.set(at, widen<format_e4m3>(bits & 0xFF), least_f16);
        case e5m2:
            return operand.set(at, widen<format_e5m2>(bits & 0xFF), least_f16);
        case bf16:
            return operand.set(at, widen<format_bf16>(bits & 0xFFFF), least_f32);
        // The lower 13 bits of a .tf32 operand do not count.
        case tf32:
            return operand.set(at, std::bit_cast<float>(static_cast<std::uint32_t>(bits) & 0xFFFFE000u), least_f32);
        default:
            return operand.set(at, std::bit_cast<float>(static_cast<std::uint32_t>(bits)), least_f32);
    }
}

template <class Number>
void gather_matrix(Warp& w, const std::uint32_t* list, const FragmentShape& shape, Matrix<Number>& matrix) {
    for (unsigned l = 0; l < warp_size; ++l)
        for (unsigned s = 0; s < shape.slots(); ++s) {
            const MatrixPlace at = shape.place(l, s, shape.per_register(), shape.columns);
            matrix[at.row * shape.columns + at.column] =
                decode_element<Number>(shape.type, read_slot(w, list, shape, l, s));
        }
}

void gather_real(Warp& w, std::uint32_t holders, const std::uint32_t* list, const FragmentShape& shape,
                 TensorOperand& operand) {
    for_each_lane(holders, [&](unsigned l) {
        for (unsigned s = 0; s < shape.slots(); ++s) {
            const MatrixPlace at = shape.place(l, s, shape.per_register(), shape.columns);
            decode_real(shape.type, read_slot(w, list, shape, l, s), operand, at.row * shape.columns + at.column);
        }
    });
}

/// Where the registers of d, a, b and c are listed.
struct MatrixLists {
    const std::uint32_t *d, *a, *b, *c;

    MatrixLists(const Code& code, const Instruction* i, const MatrixWork& work)
        : d(&code.operands[i->extra]),
          a(d + work.d.registers()),
          b(a + work.a.registers()),
          c(b + work.b.registers()) {}
};

/// Real operands of at most 32 bits.
bool multiply_real(const Instruction* i, Warp& w) {
    static constexpr std::uint8_t in_order[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    // 8-bit operands are widened to .f16 in registers of two: first the lower halves of all registers, then the upper.
    static constexpr std::uint8_t lower[16] = {0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29};
    static constexpr std::uint8_t upper[16] = {2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31};
    const Code& code = *w.frame->code;
    const MatrixWork& work = code.matrix_work[i->option];
    const MatrixLists lists(code, i, work);
    TensorOperand a, b, c, partial;
    gather_real(w, full_mask, lists.a, work.a, a);
    gather_real(w, full_mask, lists.b, work.b, b);
    gather_real(w, full_mask, lists.c, work.c, c);
    const unsigned rows = work.a.rows, depth = work.a.columns, columns = work.b.columns;
    const bool is_byte = work.a.element_bits() == 8;
    Matrix<double> sums;
    for (unsigned row = 0; row < rows; ++row) {
        double* row_sums = &sums[row * columns];
        if (!is_byte) {
            const unsigned first = depth / work.steps;
            add_tensor_row(a, row * depth, b, columns, c, row * columns, std::span(in_order).first(first), row_sums);
            if (work.steps == 1) continue;
            for (unsigned j = 0; j < columns; ++j) partial.set(j, cut_to_f32(row_sums[j]), -126);
            add_tensor_row(a, row * depth, b, columns, partial, 0, std::span(in_order).subspan(first, first), row_sums);
            continue;
        }
        // c is added last, by an ordinary addition.
        for (unsigned j = 0; j < columns; ++j) partial.set(j, 0.0, 0);
        for (std::span<const std::uint8_t> half : {std::span(lower), std::span(upper)}) {
            add_tensor_row(a, row * depth, b, columns, partial, 0, half, row_sums);
            for (unsigned j = 0; j < columns; ++j) partial.set(j, cut_to_f32(row_sums[j]), -126);
        }
        for (unsigned j = 0; j < columns; ++j)
            row_sums[j] = static_cast<float>(partial.special[j]) + static_cast<float>(c.special[row * columns + j]);
    }
    for (unsigned l = 0; l < warp_size; ++l) {
        for (unsigned s = 0; s < work.d.slots(); ++s) {
            const MatrixPlace at = work.d.place(l, s, work.d.per_register(), columns);
            const double sum = sums[at.row * columns + at.column];
            // Only sums with an .f16 operand c are formed as .f16.
            const double formed = work.c.type == f16 && work.d.type == f16 ? sum : cut_to_f32(sum);
            std::uint32_t bits = work.d.type == f16 ? round_to<format_f16, Rounding::rn>(formed)
                                                    : std::bit_cast<std::uint32_t>(static_cast<float>(formed));
            // What is too small for .f16 becomes +0, whatever its sign.
            if (work.d.type == f16 && (bits & 0x7FFF) == 0) bits = 0;
            write_slot(w, lists.d, work.d, l, s, bits);
        }
    }
    return true;
}

// Hopper has no tensor instruction for these: the products of a row are added in order by fma, then c is added
// (measured on an H200, bit for bit).
bool multiply_in_quad_pairs(const Instruction* i, Warp& w) {
    const Code& code = *w.frame->code;
    const MatrixWork& work = code.matrix_work[i->option];
    const MatrixLists lists(code, i, work);
    for (unsigned pair = 0; pair < 4; ++pair) {
        const std::uint32_t holders = 0x000F000Fu << 4 * pair;
        TensorOperand a, b, c;
        gather_real(w, holders, lists.a, work.a, a);
        gather_real(w, holders, lists.b, work.b, b);
        gather_real(w, holders, lists.c, work.c, c);
        const auto element = [](const TensorOperand& matrix, unsigned at) {
            return static_cast<float>(matrix.special[at]);
        };
        for_each_lane(holders, [&](unsigned l) {
            for (unsigned s = 0; s < work.d.slots(); ++s) {
                const MatrixPlace at = work.d.place(l, s, work.d.per_register(), 8);
                float sum = mul_f32<Rounding::rn>(element(a, at.row * 4), element(b, at.column));
                for (unsigned k = 1; k < 4; ++k)
                    sum = fma_f32<Rounding::rn>(element(a, at.row * 4 + k), element(b, k * 8 + at.column), sum);
                sum = add_f32<Rounding::rn>(sum, element(c, at.row * 8 + at.column));
                write_slot(
                    w, lists.d, work.d, l, s,
                    work.d.type == f16 ? round_to<format_f16, Rounding::rn>(sum) : std::bit_cast<std::uint32_t>(sum));
            }
        });
    }
    return true;
}

/// c + a * b. For f64 in steps of fma, each rounded as the instruction says; .b1 operands are combined and counted.
enum class Step : std::uint8_t { plain, xor_bits, fma_rn, fma_rz, fma_rm, fma_rp };

template <Step S, class Number>
Number multiply_add(Number a, Number b, Number c) {
    if constexpr (S == Step::xor_bits) return c + (a != b);
    if constexpr (S == Step::fma_rn) return fma_f64<Rounding::rn>(a, b, c);
    if constexpr (S == Step::fma_rz) return fma_f64<Rounding::rz>(a, b, c);
    if constexpr (S == Step::fma_rm) return fma_f64<Rounding::rm>(a, b, c);
    if constexpr (S == Step::fma_rp) return fma_f64<Rounding::rp>(a, b, c);
    return c + a * b;
}

template <class Number, Step S>
bool multiply(const Instruction* i, Warp& w) {
    const Code& code = *w.frame->code;
    const MatrixWork& work = code.matrix_work[i->option];
    const MatrixLists lists(code, i, work);
    Matrix<Number> a, b, c;
    gather_matrix(w, lists.a, work.a, a);
    gather_matrix(w, lists.b, work.b, b);
    gather_matrix(w, lists.c, work.c, c);
    const unsigned depth = work.a.columns, columns = work.b.columns;
    for (unsigned row = 0; row < work.a.rows; ++row)
        for (unsigned k = 0; k < depth; ++k)
            for (unsigned column = 0; column < columns; ++column)
                c[row * columns + column] =
                    multiply_add<S>(a[row * depth + k], b[k * columns + column], c[row * columns + column]);
    for (unsigned l = 0; l < warp_size; ++l)
        for (unsigned s = 0; s < work.d.slots(); ++s) {
            const MatrixPlace at = work.d.place(l, s, work.d.per_register(), columns);
            const Number value = c[at.row * columns + at.column];
            if constexpr (std::is_same_v<Number, std::int64_t>) {
                const std::int32_t result = work.saturate ? saturate_s32(value) : static_cast<std::int32_t>(value);
                write_slot(w, lists.d, work.d, l, s, static_cast<std::uint32_t>(result));
            } else {
                write_slot(w, lists.d, work.d, l, s, std::bit_cast<std::uint64_t>(value));
            }
        }
    return true;
}

Handler multiply_handler(const Site& site, const MatrixWork& work) {
    if (work.d.type == s32)
        return work.bits == BitProduct::xor_popc ? &aligned_collective<multiply<std::int64_t, Step::xor_bits>>
                                                 : &aligned_collective<multiply<std::int64_t, Step::plain>>;
    if (work.d.type != f64)
        return work.d.lanes == warp_size ? &aligned_collective<multiply_real>
                                         : &aligned_collective<multiply_in_quad_pairs>;
    if (site.has(Mod::rz)) return &aligned_collective<multiply<double, Step::fma_rz>>;
    if (site.has(Mod::rm)) return &aligned_collective<multiply<double, Step::fma_rm>>;
    return site.has(Mod::rp) ? &aligned_collective<multiply<double, Step::fma_rp>>
                             : &aligned_collective<multiply<double, Step::fma_rn>>;
}

BitProduct bit_product(const Site& site) {
    if (!site.has(Mod::popc)) return BitProduct::none;
    return site.has(Mod::xor_) ? BitProduct::xor_popc : BitProduct::and_popc;
}

struct MatrixShape {
    Mod mod;
    unsigned m, n, k;
};
constexpr MatrixShape matrix_shapes[] = {
    {Mod::m8n8k4, 8, 8, 4},     {Mod::m8n8k16, 8, 8, 16},     {Mod::m16n8k4, 16, 8, 4},     {Mod::m16n8k8, 16, 8, 8},
    {Mod::m16n8k16, 16, 8, 16}, {Mod::m16n8k32, 16, 8, 32},   {Mod::m16n16k16, 16, 16, 16}, {Mod::m32n8k16, 32, 8, 16},
    {Mod::m8n32k16, 8, 32, 16}, {Mod::m16n16k8, 16, 16, 8},   {Mod::m8n8k32, 8, 8, 32},     {Mod::m8n8k128, 8, 8, 128},
    {Mod::m16n8k64, 16, 8, 64}, {Mod::m16n8k128, 16, 8, 128}, {Mod::m16n8k256, 16, 8, 256},
};
const MatrixShape* shape_of(const Site& site) {
    for (const MatrixShape& shape : matrix_shapes)
        if (site.has(shape.mod)) return &shape;
    return nullptr;
}

/// The fragments' registers, d first; the numbers must be right. wmma has more registers for f16 than elements.
bool add_registers(Site& site, const ptx::Operand& operand, const FragmentShape& shape, bool written,
                   std::vector<std::uint32_t>& list) {
    const std::vector<ptx::Operand> single{operand};
    const auto& elements = operand.kind == ptx::Operand::Kind::vector ? operand.elements : single;
    if (elements.size() < shape.registers()) return false;
    const ptx::Type type = shape.element_bits() == 64 ? b64 : b32;
    for (unsigned r = 0; r < shape.registers(); ++r)
        list.push_back(written ? site.destination(elements[r], type_bytes(type)) : site.source(elements[r], type));
    return true;
}

void select_multiply(Site& site, MatrixWork work) {
    std::vector<std::uint32_t> list;
    if (site.operands() != 4 || !add_registers(site, site.operand(0), work.d, true, list) ||
        !add_registers(site, site.operand(1), work.a, false, list) ||
        !add_registers(site, site.operand(2), work.b, false, list) ||
        !add_registers(site, site.operand(3), work.c, false, list))
        return site.refuse();
    work.saturate = site.has(Mod::satfinite);
    work.bits = bit_product(site);
    if ((work.bits != BitProduct::none) != (work.a.type == b1)) return site.refuse();
    site.out.extra = site.list(list);
    site.out.option = static_cast<std::uint16_t>(site.code().matrix_work.size());
    site.code().matrix_work.push_back(work);
    site.run(multiply_handler(site, work));
}

bool is_operand_type(ptx::Type type) {
    return type == f16 || type == bf16 || type == tf32 || type == f64 || type == e4m3 || type == e5m2 || type == s8 ||
           type == u8 || type == s4 || type == u4 || type == b1;
}
bool is_sum_type(ptx::Type type) {
    return type == f16 || type == f32 || type == f64 || type == s32;
}

// ---- wmma.load and wmma.store ----

template <Space S, bool Store>
bool move_fragment(const Instruction* i, Warp& w) {
    const Code& code = *w.frame->code;
    const MatrixWork& work = code.matrix_work[i->option];
    const FragmentShape& shape = work.d;
    const std::uint32_t* list = &code.operands[i->extra];
    const std::uint64_t* wide = lanes<std::uint64_t>(w, i->a);
    const std::uint32_t* narrow = lanes<std::uint32_t>(w, i->a);
    const std::uint32_t* stride = lanes<std::uint32_t>(w, i->b);
    // Elements of less than a byte move as whole registers: their rows (a) or columns (b) are consecutive in memory.
    const unsigned packed = shape.element_bits() < 8 ? shape.per_register() : 1;
    const unsigned bytes = std::max(packed * shape.element_bits() / 8, 1u);
    for (unsigned s = 0; s < shape.slots(); s += packed) {
        Access access;
        Layout layouts[2];
        for (unsigned l = 0; l < warp_size; ++l) {
            const MatrixPlace at = shape.place(l, s, shape.per_register(), shape.columns);
            const std::uint64_t index = work.row_major ? std::uint64_t{at.row} * stride[l] + at.column
                                                       : std::uint64_t{at.column} * stride[l] + at.row;
            const std::uint64_t offset = index * shape.element_bits() / 8;
            access.address[l] = i->count ? with_offset(wide[l], i) + offset
                                         : with_offset(narrow[l], i) + static_cast<std::uint32_t>(offset);
        }
        if (!check_addresses<S>(i, w, access, {S, Store ? AccessKind::store : AccessKind::load, bytes}, layouts))
            return false;
        for_each_lane(w.mask, [&](unsigned l) {
            std::uint64_t bits = 0;
            if (packed > 1) {
                std::uint32_t& word = lanes<std::uint32_t>(w, list[s / packed])[l];
                Store ? std::memcpy(access.at(l), &word, sizeof word) : std::memcpy(&word, access.at(l), sizeof word);
                return;
            }
            if constexpr (Store) {
                bits = read_slot(w, list, shape, l, s);
                std::memcpy(access.at(l), &bits, bytes);
            } else {
                std::memcpy(&bits, access.at(l), bytes);
                write_slot(w, list, shape, l, s, bits);
            }
        });
    }
    if constexpr (Store) {
        w.wrote = true;
        return true;
    }
    // fragment.x of .f16 has room for more elements than there are, and has them several times.
    for (unsigned r = shape.registers(); r < i->c; ++r) {
        const std::uint32_t* from = lanes<std::uint32_t>(w, list[r % shape.registers()]);
        std::uint32_t* to = lanes<std::uint32_t>(w, list[r]);
        for_each_lane(w.mask, [&](unsigned l) { to[l] = from[l]; });
    }
    return true;
}

template <bool Store>
Handler move_fragment_in(Space space) {
    if (space == Space::shared) return &aligned_collective<move_fragment<Space::shared, Store>>;
    if (space == Space::global) return &aligned_collective<move_fragment<Space::global, Store>>;
    return space == Space::none ? &aligned_collective<move_fragment<Space::none, Store>> : nullptr;
}

void select_fragment_move(Site& site, const MatrixShape& size) {
    const bool store = site.has(Mod::store);
    MatrixWork work;
    work.row_major = site.has(Mod::row);
    FragmentShape& shape = work.d;
    shape.type = site.type();
    shape.rows = site.has(Mod::b) ? size.k : size.m;
    shape.columns = site.has(Mod::a) ? size.k : size.n;
    const bool is_operand = site.has(Mod::a) || site.has(Mod::b);
    shape.place = is_operand ? wmma_place(shape.type, site.has(Mod::b), shape.rows) : wmma_c;
    if (!is_operand_type(shape.type) && !is_sum_type(shape.type)) return site.refuse();
    const ptx::Operand &registers = site.operand(store ? 1 : 0), &address = site.operand(store ? 0 : 1);
    std::vector<std::uint32_t> list;
    if (!add_registers(site, registers, shape, !store, list)) return site.refuse();
    if (!store && registers.kind == ptx::Operand::Kind::vector)
        for (std::size_t r = list.size(); r < registers.elements.size(); ++r)
            list.push_back(site.destination(registers.elements[r], 4));
    site.out.c = static_cast<std::uint32_t>(list.size());
    const auto memory = site.memory(address, site.space());
    if (memory.in_frame || memory.kernel_parameter) return site.refuse();
    site.out.count = memory.wide;
    const unsigned least = work.row_major ? shape.columns : shape.rows;
    site.out.b = site.operands() > 2 ? site.source(site.operand(2), u32) : site.constant(least, 4);
    site.out.extra = site.list(list);
    site.out.option = static_cast<std::uint16_t>(site.code().matrix_work.size());
    site.code().matrix_work.push_back(work);
    site.run(store ? move_fragment_in<true>(site.space()) : move_fragment_in<false>(site.space()));
}

/// mma.m8n8k4 of .f16, four times in a warp.
void select_quad_pairs(Site& site) {
    const ptx::Type d = site.type(0), c = site.type(3);
    if (site.type(1) != f16 || site.type(2) != f16 || (d != f16 && d != f32) || (c != f16 && c != f32) ||
        site.modifiers.layouts.size() != 2)
        return site.refuse();
    const bool a_by_columns = site.modifiers.layouts[0] == Mod::col, b_by_rows = site.modifiers.layouts[1] == Mod::row;
    MatrixWork work;
    work.a = {f16, 8, 4, 8, a_by_columns ? quad_pair_a_by_columns : quad_pair_a};
    work.b = {f16, 4, 8, 8, b_by_rows ? quad_pair_b_by_rows : quad_pair_b};
    work.c = {c, 8, 8, 8, c == f16 ? quad_pair_c_f16 : quad_pair_c_f32};
    work.d = {d, 8, 8, 8, d == f16 ? quad_pair_c_f16 : quad_pair_c_f32};
    select_multiply(site, work);
}

}  // namespace

void select_mma(Site& site) {
    const MatrixShape* size = shape_of(site);
    // d, a, b, c in the order of the types; A is always .row and B .col.
    const ptx::Type d = site.type(0), a = site.type(1), b = site.type(2), c = site.type(3);
    if (site.has(Mod::m8n8k4) && a != f64) return select_quad_pairs(site);
    if (site.modifiers.layouts != std::vector{Mod::row, Mod::col}) return site.refuse("it is .row.col for this shape");
    if (!size || size->n != 8 || !is_operand_type(a) || !is_operand_type(b) || !is_sum_type(c) || !is_sum_type(d))
        return site.refuse();
    MatrixWork work;
    work.a = {a, size->m, size->k, warp_size, mma_a};
    work.b = {b, size->k, 8, warp_size, mma_b};
    work.c = {c, size->m, 8, warp_size, mma_c};
    work.d = {d, size->m, 8, warp_size, mma_c};
    // An operand fills at least one register of each lane.
    if (size->k * work.a.element_bits() < 128 && a != f64) return site.refuse();
    select_multiply(site, work);
}

void select_wmma(Site& site) {
    const MatrixShape* size = shape_of(site);
    if (!size || site.operands() < 2) return site.refuse();
    if (!site.has(Mod::mma)) return select_fragment_move(site, *size);
    // f16 operands are not named: .d.c are. Others name all four.
    const bool all_named = site.modifiers.types.size() == 4;
    const ptx::Type d = site.type(0), c = all_named ? site.type(3) : site.type(1);
    const ptx::Type a = all_named ? site.type(1) : f16, b = all_named ? site.type(2) : f16;
    if (!is_operand_type(a) || !is_operand_type(b) || !is_sum_type(c) || !is_sum_type(d)) return site.refuse();
    MatrixWork work;
    work.a = {a, size->m, size->k, warp_size, wmma_place(a, false, size->m)};
    work.b = {b, size->k, size->n, warp_size, wmma_place(b, true, size->k)};
    work.c = {c, size->m, size->n, warp_size, wmma_c};
    work.d = {d, size->m, size->n, warp_size, wmma_c};
    if (a == tf32) work.steps = 2;  // columns 0 to 3, then 4 to 7
    select_multiply(site, work);
}

}  // namespace cudash::virtual_gpu
