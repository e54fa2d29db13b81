// ldmatrix, stmatrix, movmatrix: 8x8 matrices of 16-bit elements.
#include "runtime_wrappers/virtual_gpu/exec/collective.h"
#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"

namespace cudash::virtual_gpu {
namespace {

using enum ptx::Type;
using ptx::Space;

/// Lane l holds elements 2 * (l % 4) and the next of row l / 4; with Trans of column l / 4. The rows of matrix m are at
/// the addresses of lanes 8 * m to 8 * m + 7.
template <class AddressLane, bool Trans, bool Store>
bool move_matrices(const Instruction* i, Warp& w) {
    const std::uint32_t* list = &w.frame->code->operands[i->extra];
    const std::uint32_t all = w.mask;
    Access access;
    Layout layouts[2];
    w.mask = all & (i->count == 4 ? full_mask : (1u << 8 * i->count) - 1);
    const bool allowed = resolve<Space::shared, AddressLane>(
        i, w, access, {Space::shared, Store ? AccessKind::store : AccessKind::load, 16}, layouts);
    w.mask = all;
    if (!allowed) return false;
    for (unsigned m = 0; m < i->count; ++m) {
        Lane32* words = lanes<std::uint32_t>(w, list[m]);
        for (unsigned l = 0; l < warp_size; ++l)
            for (unsigned half = 0; half < 2; ++half) {
                const unsigned row = Trans ? 2 * (l % 4) + half : l / 4, column = Trans ? l / 4 : 2 * (l % 4) + half;
                // A warp that is not whole lacks the addresses of some rows.
                if ((all >> (8 * m + row) & 1) == 0) continue;
                std::byte* memory = access.at(8 * m + row) + 2 * column;
                std::uint16_t element = static_cast<std::uint16_t>(words[l] >> 16 * half);
                if constexpr (Store) {
                    std::memcpy(memory, &element, sizeof element);
                } else {
                    std::memcpy(&element, memory, sizeof element);
                    words[l] =
                        half ? (words[l] & 0xFFFF) | std::uint32_t{element} << 16 : (words[l] & 0xFFFF0000) | element;
                }
            }
    }
    if constexpr (Store) w.wrote = true;
    return true;
}

/// movmatrix: an 8x8 matrix of 16-bit elements, whose row l / 4 lane l holds in part, is transposed between the lanes.
bool transpose_matrix(const Instruction* i, Warp& w) {
    auto* a = lanes<std::uint32_t>(w, i->a);
    std::uint32_t result[warp_size];
    for (unsigned l = 0; l < warp_size; ++l) {
        auto element = [&](unsigned row, unsigned column) {
            return a[4 * row + column / 2] >> 16 * (column % 2) & 0xFFFF;
        };
        const unsigned row = l / 4, column = 2 * (l % 4);
        result[l] = element(column, row) | element(column + 1, row) << 16;
    }
    write_lanes<std::uint32_t>(w, lanes<std::uint32_t>(w, i->d), [&](unsigned l) { return result[l]; });
    return true;
}

template <bool Store>
void select_matrix_move(Site& site) {
    const ptx::Operand& registers = site.operand(Store ? 1 : 0);
    const std::vector<ptx::Operand> single{registers};
    const auto& elements = registers.kind == ptx::Operand::Kind::vector ? registers.elements : single;
    const unsigned count = site.has(Mod::x4) ? 4 : site.has(Mod::x2) ? 2 : 1;
    if (elements.size() != count || site.type() != b16 || !site.has(Mod::m8n8)) return site.refuse();
    std::vector<std::uint32_t> offsets;
    for (const ptx::Operand& element : elements)
        offsets.push_back(Store ? site.source(element, b32) : site.destination(element, 4));
    site.out.extra = site.list(offsets);
    site.out.count = static_cast<std::uint16_t>(count);
    const auto memory = site.memory(site.operand(Store ? 0 : 1), Space::shared);
    if (site.has(Mod::trans))
        return site.run(memory.wide ? &aligned_collective<move_matrices<Lane64, true, Store>>
                                    : &aligned_collective<move_matrices<Lane32, true, Store>>);
    site.run(memory.wide ? &aligned_collective<move_matrices<Lane64, false, Store>>
                         : &aligned_collective<move_matrices<Lane32, false, Store>>);
}

}  // namespace

void select_ldmatrix(Site& site) {
    select_matrix_move<false>(site);
}
void select_stmatrix(Site& site) {
    select_matrix_move<true>(site);
}

void select_movmatrix(Site& site) {
    if (!site.has(Mod::m8n8) || !site.has(Mod::trans) || site.type() != b16) return site.refuse();
    site.out.d = site.destination(site.operand(0), 4);
    site.out.a = site.source(site.operand(1), b32);
    site.run(&aligned_collective<transpose_matrix>);
}

}  // namespace cudash::virtual_gpu
