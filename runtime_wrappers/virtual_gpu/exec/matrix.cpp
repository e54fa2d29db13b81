// mma, wmma. Integers add up exactly, .f64 in steps of fma, other types as semantics_tensor.h says.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>

#include "runtime_wrappers/virtual_gpu/exec/collective.h"
#include "runtime_wrappers/virtual_gpu/exec/matrix_elements.h"
#include "runtime_wrappers/virtual_gpu/exec/matrix_fragments.h"
#include "runtime_wrappers/virtual_gpu/exec/matrix_operands.h"
#include "runtime_wrappers/virtual_gpu/exec/matrix_places.h"
#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"
#include "runtime_wrappers/virtual_gpu/exec/moderate_product.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/isa/matrix_work.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics_tensor.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;
using ptx::Space;

template <unsigned Bits, ptx::Type T>
void gather_integers(const FragmentRegisters& fragment, Matrix<std::int32_t>& matrix) {
    decode_elements<Bits>(fragment, matrix.data(), [](std::uint32_t bits) { return decode_integer<T>(bits); });
}

void gather_matrix(const FragmentRegisters& fragment, Matrix<std::int32_t>& matrix) {
    switch (fragment.shape.type) {
        case s8:
            return gather_integers<8, s8>(fragment, matrix);
        case u8:
            return gather_integers<8, u8>(fragment, matrix);
        case s4:
            return gather_integers<4, s4>(fragment, matrix);
        case u4:
            return gather_integers<4, u4>(fragment, matrix);
        case b1:
            return gather_integers<1, b1>(fragment, matrix);
        default:
            return gather_integers<32, s32>(fragment, matrix);
    }
}

template <unsigned Bits, ptx::Type T>
void gather_reals(const FragmentRegisters& fragment, std::uint32_t holders, TensorOperand& operand) {
    take_elements<Bits>(fragment, [&](const ElementPlaces::Lanes& at, const std::uint32_t* bits) {
        alignas(64) std::array<double, warp_size> numbers;
        for (unsigned l = 0; l < warp_size; ++l) numbers[l] = decode_real<T>(bits[l]);
        if (holders == full_mask)
            for (unsigned l = 0; l < warp_size; ++l) operand.set(at[l], numbers[l], least_exponent<T>);
        else
            for_each_lane(holders, [&](unsigned l) { operand.set(at[l], numbers[l], least_exponent<T>); });
    });
}

void gather_real(const FragmentRegisters& fragment, std::uint32_t holders, TensorOperand& operand) {
    switch (fragment.shape.type) {
        case f16:
            return gather_reals<16, f16>(fragment, holders, operand);
        case e4m3:
            return gather_reals<8, e4m3>(fragment, holders, operand);
        case e5m2:
            return gather_reals<8, e5m2>(fragment, holders, operand);
        case bf16:
            return gather_reals<16, bf16>(fragment, holders, operand);
        case tf32:
            return gather_reals<32, tf32>(fragment, holders, operand);
        default:
            return gather_reals<32, f32>(fragment, holders, operand);
    }
}

/// Real operands of at most 32 bits.
bool multiply_real(const Instruction* i, Warp& w) {
    static constexpr std::uint8_t in_order[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    // 8-bit operands are widened to .f16 in registers of two: first the lower halves of all registers, then the upper.
    static constexpr std::uint8_t lower[16] = {0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29};
    static constexpr std::uint8_t upper[16] = {2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31};
    const Fragments fragments(i, w);
    const MatrixWork& work = fragments.work;
    if (multiply_moderate(fragments)) return true;
    TensorOperand a, b, c, partial;
    gather_real(fragments.a, full_mask, a);
    gather_real(fragments.b, full_mask, b);
    gather_real(fragments.c, full_mask, c);
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
    give_elements(fragments.d, full_mask, [&](unsigned at) { return tensor_result(work, sums[at]); });
    return true;
}

// Hopper has no tensor instruction for these: the products of a row are added in order by fma, then c is added
// (measured on an H200, bit for bit).
bool multiply_in_quad_pairs(const Instruction* i, Warp& w) {
    const Fragments fragments(i, w);
    const MatrixWork& work = fragments.work;
    for (unsigned pair = 0; pair < 4; ++pair) {
        const std::uint32_t holders = 0x000F000Fu << 4 * pair;
        TensorOperand a, b, c;
        gather_real(fragments.a, holders, a);
        gather_real(fragments.b, holders, b);
        gather_real(fragments.c, holders, c);
        const auto element = [](const TensorOperand& matrix, unsigned at) {
            return static_cast<float>(matrix.special[at]);
        };
        give_elements(fragments.d, holders, [&](unsigned at) -> std::uint32_t {
            const unsigned row = at / 8, column = at % 8;
            float sum = mul_f32<Rounding::rn>(element(a, row * 4), element(b, column));
            for (unsigned k = 1; k < 4; ++k)
                sum = fma_f32<Rounding::rn>(element(a, row * 4 + k), element(b, k * 8 + column), sum);
            sum = add_f32<Rounding::rn>(sum, element(c, at));
            return work.d.type == f16 ? round_to<format_f16, Rounding::rn>(sum) : std::bit_cast<std::uint32_t>(sum);
        });
    }
    return true;
}

/// The products of one element of d, without c: what there can be of them fits.
template <bool Xor, unsigned Columns>
void add_products(const MatrixWork& work, const std::int32_t* a, const std::int32_t* b, std::int32_t* products) {
    // Columns are handled together.
    using Row [[gnu::vector_size(Columns * 4), gnu::aligned(4), gnu::may_alias]] = std::int32_t;
    const Row* const b_rows = reinterpret_cast<const Row*>(b);
    const unsigned depth = work.a.columns;
    for (unsigned row = 0; row < work.a.rows; ++row) {
        Row sums = {};
        for (unsigned k = 0; k < depth; ++k) {
            const std::int32_t factor = a[row * depth + k];
            sums += Xor ? factor ^ b_rows[k] : factor * b_rows[k];
        }
        reinterpret_cast<Row*>(products)[row] = sums;
    }
}

template <bool Xor>
bool multiply_integers(const Instruction* i, Warp& w) {
    const Fragments fragments(i, w);
    const MatrixWork& work = fragments.work;
    Matrix<std::int32_t> a, b, c, products;
    gather_matrix(fragments.a, a);
    gather_matrix(fragments.b, b);
    gather_matrix(fragments.c, c);
    const auto add = work.b.columns == 8    ? &add_products<Xor, 8>
                     : work.b.columns == 16 ? &add_products<Xor, 16>
                                            : &add_products<Xor, 32>;
    add(work, a.data(), b.data(), products.data());
    const unsigned count = work.c.rows * work.c.columns;
    alignas(64) std::array<std::uint32_t, 512> results;
    for (unsigned at = 0; at < count; ++at) {
        const std::int64_t sum = std::int64_t{c[at]} + products[at];
        results[at] = static_cast<std::uint32_t>(work.saturate ? saturate_s32(sum) : static_cast<std::int32_t>(sum));
    }
    encode_elements(fragments.d, results.data());
    return true;
}

/// c + a * b in steps of fma.
template <Rounding R>
bool multiply_doubles(const Instruction* i, Warp& w) {
    constexpr unsigned columns = 8, most_rows = 16;
    const Fragments fragments(i, w);
    const MatrixWork& work = fragments.work;
    const auto as_double = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
    alignas(64) std::array<double, most_rows * 16> a, b, c, sums;
    decode_elements<64>(fragments.a, a.data(), as_double);
    decode_elements<64>(fragments.b, b.data(), as_double);
    decode_elements<64>(fragments.c, c.data(), as_double);
    const unsigned rows = work.a.rows, depth = work.a.columns;
    const auto add = [&](auto step) {
        for (unsigned row = 0; row < rows; ++row) {
            std::array<double, columns> of_row;
            std::copy_n(&c[row * columns], columns, of_row.begin());
            for (unsigned k = 0; k < depth; ++k)
                for (unsigned column = 0; column < columns; ++column)
                    of_row[column] = step(a[row * depth + k], b[k * columns + column], of_row[column]);
            std::ranges::copy(of_row, &sums[row * columns]);
        }
    };
    // As the processor has it, unless there are NaNs, of which the instruction makes others.
    bool any_nan = false;
    if constexpr (R == Rounding::rn) {
        add([](double x, double y, double z) { return std::fma(x, y, z); });
        for (unsigned at = 0; at < rows * columns; ++at) any_nan |= sums[at] != sums[at];
    }
    if (any_nan || R != Rounding::rn) add(fma_f64<R>);
    alignas(64) std::array<std::uint64_t, most_rows * columns> results;
    for (unsigned at = 0; at < rows * columns; ++at) results[at] = std::bit_cast<std::uint64_t>(sums[at]);
    encode_elements(fragments.d, results.data());
    return true;
}

Handler multiply_handler(const Site& site, const MatrixWork& work) {
    if (work.d.type == s32)
        return work.bits == BitProduct::xor_popc ? &aligned_collective<multiply_integers<true>>
                                                 : &aligned_collective<multiply_integers<false>>;
    if (work.d.type != f64)
        return work.d.lanes == warp_size ? &aligned_collective<multiply_real>
                                         : &aligned_collective<multiply_in_quad_pairs>;
    if (site.has(Mod::rz)) return &aligned_collective<multiply_doubles<Rounding::rz>>;
    if (site.has(Mod::rm)) return &aligned_collective<multiply_doubles<Rounding::rm>>;
    return site.has(Mod::rp) ? &aligned_collective<multiply_doubles<Rounding::rp>>
                             : &aligned_collective<multiply_doubles<Rounding::rn>>;
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

}  // namespace

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

namespace {

/// The numbers of the shapes' places, for the handler.
bool add_places(std::vector<std::uint32_t>& list, std::initializer_list<const FragmentShape*> shapes) {
    for (const FragmentShape* shape : shapes) {
        list.push_back(number_of_places(*shape));
        if (list.back() == no_index) return false;
    }
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
    if (!add_places(list, {&work.d, &work.a, &work.b, &work.c})) return site.refuse();
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

/// A fragment's place in memory, of whose lines all lanes give the same beginning and distance.
struct FragmentMemory {
    std::uint64_t base = 0, line = 0;  ///< bytes; `base` of the host
};

/// `line_bytes`: of the fragment's part of a line. Nothing: lanes differ, or the accesses are not all allowed, or
/// somebody looks on; each is to be checked by itself.
template <Space S>
std::optional<FragmentMemory> whole_fragment(const Instruction* i, Warp& w, const AccessShape& shape, unsigned lines,
                                             unsigned line_bytes) {
    if (w.mask != full_mask || w.observer) return std::nullopt;
    const std::uint64_t* wide = lanes<std::uint64_t>(w, i->a);
    const std::uint32_t* narrow = lanes<std::uint32_t>(w, i->a);
    const std::uint32_t* stride = lanes<std::uint32_t>(w, i->b);
    std::uint64_t different = 0;
    for (unsigned l = 0; l < warp_size; ++l)
        different |= (i->count ? wide[l] ^ wide[0] : narrow[l] ^ narrow[0]) | (stride[l] ^ stride[0]);
    if (different != 0) return std::nullopt;
    const std::uint64_t first = i->count ? with_offset(wide[0], i) : with_offset(narrow[0], i);
    const std::uint64_t line = std::uint64_t{stride[0]} * shape.size;
    const std::uint64_t reach = (lines - 1) * line + line_bytes - shape.size;
    if (!i->count && first + reach > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    const Span all[] = {{first, reach, shape.size}};
    std::uint64_t bias;
    if (((first | line) & (shape.size - 1)) != 0 || !check_spans<S>(w, i, all, shape.kind, bias)) return std::nullopt;
    return FragmentMemory{first + bias, line};
}

/// A slot's parts of registers, from the bit `shift` on.
template <bool Store, class Part>
void move_parts(std::uint32_t active, std::uint32_t* words, unsigned shift, const Access& access) {
    constexpr std::uint32_t all = std::numeric_limits<Part>::max();
    for_each_lane(active, [&](unsigned l) {
        auto part = static_cast<Part>(words[l] >> shift);
        if constexpr (Store) {
            std::memcpy(access.at(l), &part, sizeof part);
        } else {
            std::memcpy(&part, access.at(l), sizeof part);
            words[l] = (words[l] & ~(all << shift)) | std::uint32_t{part} << shift;
        }
    });
}

template <Space S, bool Store>
bool move_fragment(const Instruction* i, Warp& w) {
    const Code& code = *w.frame->code;
    const MatrixWork& work = code.matrix_work[i->option];
    const FragmentShape& shape = work.d;
    const std::uint32_t* list = &code.operands[i->extra];
    const ElementPlaces& places = places_of(list[i->c]);
    const std::uint64_t* wide = lanes<std::uint64_t>(w, i->a);
    const std::uint32_t* narrow = lanes<std::uint32_t>(w, i->a);
    const std::uint32_t* stride = lanes<std::uint32_t>(w, i->b);
    const unsigned width = shape.element_bits(), in_register = shape.per_register();
    // Elements of less than a byte move as whole registers: their rows (a) or columns (b) are consecutive in memory.
    const unsigned packed = width < 8 ? in_register : 1;
    const unsigned bytes = packed * width / 8;
    const AccessShape of_slot{S, Store ? AccessKind::store : AccessKind::load, bytes};
    const unsigned lines = work.row_major ? shape.rows : shape.columns;
    const unsigned line_bytes = (work.row_major ? shape.columns : shape.rows) * width / 8;
    const std::optional<FragmentMemory> whole =
        width >= 8 ? whole_fragment<S>(i, w, of_slot, lines, line_bytes) : std::nullopt;
    for (unsigned s = 0; s < places.index.size(); s += packed) {
        Access access;
        Layout layouts[2];
        const ElementPlaces::Lanes& line = work.row_major ? places.row[s] : places.column[s];
        const ElementPlaces::Lanes& within = work.row_major ? places.column[s] : places.row[s];
        const auto number = [](std::int32_t at) { return static_cast<std::uint32_t>(at); };
        if (whole) {
            access.bias = 0;
            for (unsigned l = 0; l < warp_size; ++l)
                access.address[l] = whole->base + number(line[l]) * whole->line + number(within[l]) * (width / 8);
        } else {
            for (unsigned l = 0; l < warp_size; ++l) {
                const std::uint64_t offset =
                    (std::uint64_t{number(line[l])} * stride[l] + number(within[l])) * width / 8;
                access.address[l] = i->count ? with_offset(wide[l], i) + offset
                                             : with_offset(narrow[l], i) + static_cast<std::uint32_t>(offset);
            }
            if (!check_addresses<S>(i, w, access, of_slot, layouts)) return false;
        }
        if (width == 64) {
            std::uint64_t* words = lanes<std::uint64_t>(w, list[s]);
            for_each_lane(w.mask, [&](unsigned l) {
                Store ? std::memcpy(access.at(l), &words[l], 8) : std::memcpy(&words[l], access.at(l), 8);
            });
            continue;
        }
        std::uint32_t* words = lanes<std::uint32_t>(w, list[s / in_register]);
        const unsigned shift = s % in_register * width;
        if (bytes == 4) move_parts<Store, std::uint32_t>(w.mask, words, shift, access);
        if (bytes == 2) move_parts<Store, std::uint16_t>(w.mask, words, shift, access);
        if (bytes == 1) move_parts<Store, std::uint8_t>(w.mask, words, shift, access);
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
    if (!add_places(list, {&shape})) return site.refuse();
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
