// wgmma, setmaxnreg. Four warps multiply a matrix of 64 rows; each computes 16 of them by itself when it comes to the
// instruction, so that there is nothing to wait for.
#include <fmt/format.h>

#include "runtime_wrappers/virtual_gpu/exec/collective.h"
#include "runtime_wrappers/virtual_gpu/exec/matrix_descriptor.h"
#include "runtime_wrappers/virtual_gpu/exec/matrix_elements.h"
#include "runtime_wrappers/virtual_gpu/exec/matrix_operands.h"
#include "runtime_wrappers/virtual_gpu/exec/matrix_places.h"
#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;
using ptx::Space;

constexpr unsigned rows = 16;         ///< of a warp
constexpr unsigned tile_columns = 8;  ///< that are computed at once
constexpr unsigned most_columns = 256;
/// Of the addends of 8-bit products: bits below the largest exponent that count.
constexpr double kept_of_bytes = 0x1.0p13;

/// The bytes of an operand's lines, one behind the other.
using Lines = std::array<std::byte, most_columns * line_bytes>;

/// `count` lines from `first` on; false: a fault was raised. The lanes read 16 bytes each.
bool read_lines(const Instruction* i, Warp& w, std::uint64_t descriptor, bool transposed, unsigned first,
                unsigned count, Lines& lines) {
    const MatrixDescriptor operand(descriptor);
    const std::uint32_t all = w.mask;
    for (unsigned begin = 0; begin < 2 * count; begin += warp_size) {
        const unsigned pieces = std::min(2 * count - begin, warp_size);
        Access access;
        Layout layouts[2];
        for (unsigned l = 0; l < pieces; ++l) {
            const unsigned piece = begin + l;
            access.address[l] = transposed ? operand.across_lines(first / 8 + piece / 16, piece % 16)
                                           : operand.half_of_line(first + piece / 2, piece % 2);
        }
        w.mask = pieces == warp_size ? full_mask : (1u << pieces) - 1;
        const bool allowed =
            check_addresses<Space::shared>(i, w, access, {Space::shared, AccessKind::load, 16}, layouts);
        w.mask = all;
        if (!allowed) return false;
        for (unsigned l = 0; l < pieces; ++l) {
            const unsigned piece = begin + l;
            if (!transposed) {
                std::memcpy(&lines[piece * 16], access.at(l), 16);
                continue;
            }
            for (unsigned e = 0; e < 8; ++e)
                std::memcpy(&lines[(piece / 16 * 8 + e) * line_bytes + piece % 16 * 2], access.at(l) + 2 * e, 2);
        }
    }
    return true;
}

/// The same of a warp's rows of a in registers, as they lie in shared memory.
void take_lines(const FragmentRegisters& fragment, Lines& lines) {
    const unsigned width = fragment.shape.element_bits(), in_register = fragment.shape.per_register();
    for (unsigned r = 0; r < fragment.shape.registers(); ++r) {
        const std::uint32_t* const words = lanes<std::uint32_t>(fragment.warp, fragment.list[r]);
        const unsigned slot = r * in_register;
        for (unsigned l = 0; l < warp_size; ++l) {
            const unsigned at = fragment.places.row[slot][l] * line_bytes + fragment.places.column[slot][l] * width / 8;
            std::memcpy(&lines[at], &words[l], sizeof words[l]);
        }
    }
}

template <ptx::Type T>
std::uint32_t element_of(const std::byte* line, unsigned k) {
    constexpr unsigned bytes = T == tf32 ? 4 : T == f16 || T == bf16 ? 2 : 1;
    std::uint32_t bits = 0;
    if constexpr (T == b1) {
        std::memcpy(&bits, line + k / 8, 1);
        return bits >> k % 8;
    } else {
        std::memcpy(&bits, line + k * bytes, bytes);
        return bits;
    }
}

/// Calls `use(std::integral_constant of the type)` for the type of an operand.
template <class Use>
void with_type(ptx::Type type, Use use) {
    switch (type) {
        case f16:
            return use(std::integral_constant<ptx::Type, f16>{});
        case bf16:
            return use(std::integral_constant<ptx::Type, bf16>{});
        case tf32:
            return use(std::integral_constant<ptx::Type, tf32>{});
        case e4m3:
            return use(std::integral_constant<ptx::Type, e4m3>{});
        case e5m2:
            return use(std::integral_constant<ptx::Type, e5m2>{});
        case s8:
            return use(std::integral_constant<ptx::Type, s8>{});
        case u8:
            return use(std::integral_constant<ptx::Type, u8>{});
        default:
            return use(std::integral_constant<ptx::Type, b1>{});
    }
}

/// Of `columns` columns of a matrix c in d's registers, from slot `first` on: its number in the tile, and its bits.
template <class Use>
void for_each_sum(const FragmentRegisters& d, unsigned first, Use use) {
    const bool pairs = d.shape.type == f16;
    for (unsigned s = first; s < first + rows * tile_columns / warp_size; ++s) {
        std::uint32_t* const words = lanes<std::uint32_t>(d.warp, d.list[pairs ? s / 2 : s]);
        for (unsigned l = 0; l < warp_size; ++l) {
            const unsigned at = d.places.row[s][l] * tile_columns + d.places.column[s][l] % tile_columns;
            if (!pairs) {
                use(at, words[l]);
                continue;
            }
            const unsigned shift = s % 2 * 16;
            std::uint32_t bits = words[l] >> shift & 0xFFFF;
            use(at, bits);
            words[l] = (words[l] & ~(0xFFFFu << shift)) | bits << shift;
        }
    }
}

/// One instruction: where its parts are.
struct Warpgroup {
    const MatrixWork& work;
    FragmentRegisters d;
    Lines a, b;
    bool adds = false;  ///< scale-d: d is added

    Warpgroup(const Instruction* i, Warp& w) : Warpgroup(w, w.frame->code->matrix_work[i->option], list_of(i, w)) {}
    /// False: a fault was raised.
    bool read(const Instruction* i, Warp& w);

private:
    Warpgroup(Warp& w, const MatrixWork& of, const std::uint32_t* list)
        : work(of), d{w, list + 2, of.d, places_of(list[0])} {}
    static const std::uint32_t* list_of(const Instruction* i, const Warp& w) {
        return &w.frame->code->operands[i->extra];
    }
};

bool Warpgroup::read(const Instruction* i, Warp& w) {
    const std::uint32_t* const list = list_of(i, w);
    const auto first = static_cast<unsigned>(std::countr_zero(w.mask));
    adds = (*reinterpret_cast<const std::uint32_t*>(w.registers + i->c) >> first & 1) != 0;
    if (work.a_in_registers)
        take_lines({w, list + 2 + work.d.registers(), work.a, places_of(list[1])}, a);
    else if (!read_lines(i, w, lanes<std::uint64_t>(w, i->a)[first], work.transposed_a, w.index % 4 * rows, rows, a))
        return false;
    return read_lines(i, w, lanes<std::uint64_t>(w, i->b)[first], work.transposed_b, 0, work.b.columns, b);
}

void take_reals(ptx::Type type, const Lines& lines, unsigned first, unsigned count, unsigned depth, bool by_columns,
                double sign, TensorOperand& operand) {
    with_type(type, [&](auto constant) {
        constexpr ptx::Type T = decltype(constant)::value;
        for (unsigned line = 0; line < count; ++line)
            for (unsigned k = 0; k < depth; ++k)
                operand.set(by_columns ? k * count + line : line * depth + k,
                            sign * decode_real<T>(element_of<T>(&lines[(first + line) * line_bytes], k)),
                            least_exponent<T>);
    });
}

bool multiply_reals(const Instruction* i, Warp& w) {
    static constexpr auto in_order = [] {
        std::array<std::uint8_t, line_bytes> all{};
        for (unsigned k = 0; k < all.size(); ++k) all[k] = static_cast<std::uint8_t>(k);
        return all;
    }();
    Warpgroup group(i, w);
    if (!group.read(i, w)) return false;
    const MatrixWork& work = group.work;
    const unsigned depth = work.a.columns;
    const bool of_bytes = work.a.element_bits() == 8;
    const bool cuts = of_bytes && work.d.type == f32;
    const double kept = of_bytes ? kept_of_bytes : 0x1.0p25;
    TensorOperand a, b, c;
    take_reals(work.a.type, group.a, 0, rows, depth, false, work.negative ? -1.0 : 1.0, a);
    for (unsigned first = 0; first < work.b.columns; first += tile_columns) {
        take_reals(work.b.type, group.b, first, tile_columns, depth, true, 1.0, b);
        const unsigned slot = first * rows / warp_size;
        for_each_sum(group.d, slot, [&](unsigned at, std::uint32_t bits) {
            const double before = work.d.type == f16 ? decode_real<f16>(bits) : decode_real<f32>(bits);
            c.set(at, group.adds ? before : 0.0, work.d.type == f16 ? least_exponent<f16> : least_exponent<f32>);
        });
        double sums[rows * tile_columns];
        for (unsigned row = 0; row < rows; ++row)
            add_tensor_row(a, row * depth, b, tile_columns, c, row * tile_columns, std::span(in_order).first(depth),
                           &sums[row * tile_columns], kept);
        for_each_sum(group.d, slot, [&](unsigned at, std::uint32_t& bits) {
            bits = tensor_result(work, cuts ? cut_to_13_bits(sums[at]) : sums[at]);
        });
        b.finite = c.finite = true;
    }
    return true;
}

bool multiply_integers(const Instruction* i, Warp& w) {
    Warpgroup group(i, w);
    if (!group.read(i, w)) return false;
    const MatrixWork& work = group.work;
    const unsigned depth = work.a.columns;
    Matrix<std::int32_t> a, b;
    const auto take = [&](ptx::Type type, const Lines& lines, unsigned first, unsigned count, auto& matrix) {
        with_type(type, [&](auto constant) {
            constexpr ptx::Type T = decltype(constant)::value;
            for (unsigned line = 0; line < count; ++line)
                for (unsigned k = 0; k < depth; ++k)
                    matrix[line * depth + k] = decode_integer<T>(element_of<T>(&lines[(first + line) * line_bytes], k));
        });
    };
    take(work.a.type, group.a, 0, rows, a);
    for (unsigned first = 0; first < work.b.columns; first += tile_columns) {
        take(work.b.type, group.b, first, tile_columns, b);
        for_each_sum(group.d, first * rows / warp_size, [&](unsigned at, std::uint32_t& bits) {
            const std::int32_t* const row = &a[at / tile_columns * depth];
            const std::int32_t* const column = &b[at % tile_columns * depth];
            std::int64_t sum = group.adds ? static_cast<std::int32_t>(bits) : 0;
            for (unsigned k = 0; k < depth; ++k) sum += row[k] * column[k];
            bits = static_cast<std::uint32_t>(work.saturate ? saturate_s32(sum) : static_cast<std::int32_t>(sum));
        });
    }
    return true;
}

/// Rows 8 apart in the quads of lanes, as mma has them; columns go on by 8.
MatrixPlace warpgroup_d(unsigned lane, unsigned slot, unsigned, unsigned) {
    return {lane / 4 + 8 * (slot / 2 % 2), 8 * (slot / 4) + 2 * (lane % 4) + slot % 2};
}

bool multiplies(ptx::Type d, ptx::Type a, ptx::Type b) {
    const auto is_byte = [](ptx::Type type) { return type == e4m3 || type == e5m2; };
    const auto is_integer = [](ptx::Type type) { return type == s8 || type == u8; };
    if (a == f16 || is_byte(a)) return (d == f16 || d == f32) && (is_byte(a) ? is_byte(b) : b == f16);
    if (a == bf16 || a == tf32) return d == f32 && b == a;
    return d == s32 && (is_integer(a) ? is_integer(b) : a == b1 && b == b1);
}

/// The immediates behind scale-d: signs of a and b, and whether they are transposed.
bool read_immediates(Site& site, MatrixWork& work) {
    const bool real = work.d.type != s32, halves = work.a.element_bits() == 16;
    const std::size_t transposes = !halves ? 0 : work.a_in_registers ? 1 : 2;
    if (site.operands() != 4 + (real ? 2 : 0) + transposes) return false;
    const auto is_one_of = [&](std::size_t at, std::int64_t first, std::int64_t second) {
        const ptx::Operand& operand = site.operand(at);
        return operand.kind == ptx::Operand::Kind::integer && (operand.integer == first || operand.integer == second);
    };
    if (!real) return true;
    if (!is_one_of(4, 1, -1) || !is_one_of(5, 1, -1)) return false;
    work.negative = site.operand(4).integer != site.operand(5).integer;
    for (std::size_t t = 0; t < transposes; ++t)
        if (!is_one_of(6 + t, 0, 1)) return false;
    if (transposes == 2) work.transposed_a = site.operand(6).integer == 1;
    if (transposes != 0) work.transposed_b = site.operand(5 + transposes).integer == 1;
    return true;
}

void select_warpgroup_multiply(Site& site) {
    const ptx::Type d = site.type(0), a = site.type(1), b = site.type(2);
    const unsigned columns = site.modifiers.columns, depth = site.modifiers.depth;
    if (site.operands() < 4 || !multiplies(d, a, b)) return site.refuse();
    MatrixWork work;
    work.a = {a, rows, depth, warp_size, mma_a};
    work.b = {b, depth, columns};
    work.c = work.d = {d, rows, columns, warp_size, warpgroup_d};
    if (depth * work.a.element_bits() != line_bytes * 8)
        return site.refuse("the depth of a shape is 16 for 16-bit types, 8 for .tf32, 32 for 8-bit types, 256 for .b1");
    if (columns == 0 || columns % 8 != 0 || columns > most_columns)
        return site.refuse("a shape has 8 to 256 columns, a multiple of 8");
    work.saturate = site.has(Mod::satfinite);
    work.a_in_registers = site.operand(1).kind == ptx::Operand::Kind::vector;
    if ((a == b1) != (site.has(Mod::and_) && site.has(Mod::popc)) || !read_immediates(site, work)) return site.refuse();
    std::vector<std::uint32_t> list{number_of_places(work.d), work.a_in_registers ? number_of_places(work.a) : 0};
    if (list[0] == no_index || list[1] == no_index) return site.refuse();
    if (site.operand(0).kind != ptx::Operand::Kind::vector || site.operand(0).elements.size() != work.d.registers())
        return site.refuse(fmt::format("d has {} registers", work.d.registers()));
    if (!add_registers(site, site.operand(0), work.d, true, list)) return site.refuse();
    if (work.a_in_registers && !add_registers(site, site.operand(1), work.a, false, list)) return site.refuse();
    if (!work.a_in_registers) site.out.a = site.source(site.operand(1), b64);
    site.out.b = site.source(site.operand(2), b64);
    site.out.c = site.predicate(site.operand(3));
    site.out.cache = site.new_access_site();
    site.out.extra = site.list(list);
    site.out.option = static_cast<std::uint16_t>(site.code().matrix_work.size());
    site.code().matrix_work.push_back(work);
    site.run(d == s32 ? &aligned_collective<multiply_integers> : &aligned_collective<multiply_reals>);
}

}  // namespace

void select_wgmma(Site& site) {
    if (site.has(Mod::mma_async)) return select_warpgroup_multiply(site);
    const bool waits = site.has(Mod::wait_group);
    if (site.operands() != (waits ? 1u : 0u)) return site.refuse();
    if (waits && site.operand(0).kind != ptx::Operand::Kind::integer)
        return site.refuse("the number of groups is an immediate");
    site.run(run_nothing);
}

void select_setmaxnreg(Site& site) {
    // What a warp gives back or asks for is not modeled, but ptxas takes no other numbers.
    const ptx::Operand& number = site.operand(0);
    if (number.kind != ptx::Operand::Kind::integer || number.integer < 24 || number.integer > 256 ||
        number.integer % 8 != 0 || site.has(Mod::inc) == site.has(Mod::dec))
        return site.refuse("the number of registers is 24 to 256, a multiple of 8");
    site.run(run_nothing);
}

}  // namespace cudash::virtual_gpu
