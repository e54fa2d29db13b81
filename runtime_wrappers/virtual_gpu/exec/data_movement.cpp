// mov, cvta, isspacep, createpolicy.
#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/isa/decode/scope.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"

namespace cudash::virtual_gpu {
namespace {

using enum ptx::Type;
using ptx::Space;

template <class T>
const Instruction* run_move(const Instruction* i, Warp& w) {
    auto* a = lanes<T>(w, i->a);
    write_lanes<T>(w, lanes<T>(w, i->d), [&](unsigned l) { return a[l]; });
    return i + 1;
}
const Instruction* run_move_128(const Instruction* i, Warp& w) {
    for (unsigned half = 0; half < 2; ++half) {
        auto* a = lanes<std::uint64_t>(w, i->a + 256 * half);
        write_lanes<std::uint64_t>(w, lanes<std::uint64_t>(w, i->d + 256 * half), [&](unsigned l) { return a[l]; });
    }
    return i + 1;
}
const Instruction* run_move_predicate(const Instruction* i, Warp& w) {
    set_predicate(w, i->d, predicate(w, i->a) ^ static_cast<std::uint32_t>(i->immediate));
    return i + 1;
}

/// {a, b, ...} to one wider register, the first element lowest; and back.
template <class Element, class Whole>
const Instruction* run_pack(const Instruction* i, Warp& w) {
    const std::uint32_t* list = &w.frame->code->operands[i->extra];
    write_lanes<Whole>(w, lanes<Whole>(w, i->d), [&](unsigned l) {
        Whole whole = 0;
        for (unsigned e = 0; e < sizeof(Whole) / sizeof(Element); ++e)
            whole |= static_cast<Whole>(from_lane<Element>(lanes<Element>(w, list[e])[l])) << (e * sizeof(Element) * 8);
        return whole;
    });
    return i + 1;
}
template <class Element, class Whole>
const Instruction* run_unpack(const Instruction* i, Warp& w) {
    const std::uint32_t* list = &w.frame->code->operands[i->extra];
    // A part may be written over the source: the source is read first.
    alignas(64) Whole whole[warp_size];
    auto* a = lanes<Whole>(w, i->a);
    for (unsigned l = 0; l < warp_size; ++l) whole[l] = from_lane<Whole>(a[l]);
    for (unsigned e = 0; e < sizeof(Whole) / sizeof(Element); ++e)
        write_lanes<Element>(w, lanes<Element>(w, list[e]),
                             [&](unsigned l) { return static_cast<Element>(whole[l] >> (e * sizeof(Element) * 8)); });
    return i + 1;
}
template <bool Pack>
const Instruction* run_pack_128(const Instruction* i, Warp& w) {
    const std::uint32_t* list = &w.frame->code->operands[i->extra];
    for (unsigned half = 0; half < 2; ++half) {
        auto* part = lanes<std::uint64_t>(w, list[half]);
        auto* whole = lanes<std::uint64_t>(w, (Pack ? i->d : i->a) + 256 * half);
        auto *from = Pack ? part : whole, *to = Pack ? whole : part;
        write_lanes<std::uint64_t>(w, to, [&](unsigned l) { return from[l]; });
    }
    return i + 1;
}

/// The address of something in the frame's local memory; `immediate` is added.
const Instruction* run_frame_address(const Instruction* i, Warp& w) {
    const std::uint64_t address = w.local_base + static_cast<std::uint64_t>(i->immediate);
    write_lanes<std::uint64_t>(w, lanes<std::uint64_t>(w, i->d), [&](unsigned) { return address; });
    return i + 1;
}
const Instruction* run_add_constant(const Instruction* i, Warp& w) {
    auto* a = lanes<std::uint64_t>(w, i->a);
    const auto added = static_cast<std::uint64_t>(i->immediate);
    write_lanes<std::uint64_t>(w, lanes<std::uint64_t>(w, i->d), [&](unsigned l) { return a[l] + added; });
    return i + 1;
}

/// isspacep: whether a generic address lies in the window at `immediate`; 0: in none of them.
const Instruction* run_isspacep(const Instruction* i, Warp& w) {
    auto* a = lanes<std::uint64_t>(w, i->a);
    const auto window = static_cast<Address>(i->immediate);
    std::uint32_t inside = 0;
    for (unsigned l = 0; l < warp_size; ++l) {
        const bool elsewhere =
            in_window(a[l], shared_window) || in_window(a[l], local_window) || in_window(a[l], param_window);
        inside |= std::uint32_t{window ? in_window(a[l], window) : !elsewhere} << l;
    }
    set_predicate(w, i->d, inside);
    return i + 1;
}

const Instruction* run_is_constant(const Instruction* i, Warp& w) {
    auto* a = lanes<std::uint64_t>(w, i->a);
    std::uint32_t inside = 0;
    for_each_lane(w.mask, [&](unsigned l) {
        const auto found = w.block->launch->memory->find(a[l]);
        inside |= std::uint32_t{found && found->kind == MemoryKind::variable && found->read_only} << l;
    });
    set_predicate(w, i->d, inside);
    return i + 1;
}

/// A rank that the cluster does not have gives an address where no access is allowed, as on an H200.
template <class T>
const Instruction* run_mapa(const Instruction* i, Warp& w) {
    auto* a = lanes<T>(w, i->a);
    auto* rank = lanes<std::uint32_t>(w, i->b);
    const T window = i->option ? static_cast<T>(shared_window) : 0;  // of generic addresses
    write_lanes<T>(w, lanes<T>(w, i->d), [&](unsigned l) {
        const bool own = !w.block->cluster && rank[l] == 0;
        const std::uint64_t other = std::min<std::uint64_t>(rank[l], most_cluster_blocks);
        return own ? a[l] : static_cast<T>(window + cluster_address(a[l] - window, other));
    });
    return i + 1;
}

template <class T>
const Instruction* run_getctarank(const Instruction* i, Warp& w) {
    auto* a = lanes<T>(w, i->b);
    const T window = i->option ? static_cast<T>(shared_window) : 0;
    write_lanes<std::uint32_t>(w, lanes<std::uint32_t>(w, i->d), [&](unsigned l) {
        const std::uint64_t place = a[l] - window;
        return is_of_cluster(place) ? static_cast<std::uint32_t>((place >> cluster_shift) - 1) : w.block->rank;
    });
    return i + 1;
}

const Instruction* run_is_in_cluster(const Instruction* i, Warp& w) {
    auto* a = lanes<std::uint64_t>(w, i->a);
    std::uint32_t inside = 0;
    for_each_lane(w.mask, [&](unsigned l) {
        inside |= std::uint32_t{in_window(a[l], shared_window) || is_of_cluster(a[l] - shared_window)} << l;
    });
    set_predicate(w, i->d, inside);
    return i + 1;
}

const Instruction* run_is_explicit_cluster(const Instruction* i, Warp& w) {
    set_predicate(w, i->d, w.block->launch->has_clusters ? w.mask : 0);
    return i + 1;
}

Address window_of(Space space) {
    if (space == Space::shared) return shared_window;
    if (space == Space::local) return local_window;
    return space == Space::param ? param_window : 0;
}

Handler pack_handler(bool pack, unsigned elements, unsigned bytes) {
    struct Row {
        unsigned elements, bytes;
        Handler pack, unpack;
    };
    static constexpr Row rows[] = {
        {2, 4, run_pack<std::uint16_t, std::uint32_t>, run_unpack<std::uint16_t, std::uint32_t>},
        {4, 4, run_pack<std::uint8_t, std::uint32_t>, run_unpack<std::uint8_t, std::uint32_t>},
        {2, 2, run_pack<std::uint8_t, std::uint16_t>, run_unpack<std::uint8_t, std::uint16_t>},
        {2, 8, run_pack<std::uint32_t, std::uint64_t>, run_unpack<std::uint32_t, std::uint64_t>},
        {4, 8, run_pack<std::uint16_t, std::uint64_t>, run_unpack<std::uint16_t, std::uint64_t>},
        {2, 16, run_pack_128<true>, run_pack_128<false>},
    };
    for (const Row& row : rows)
        if (row.elements == elements && row.bytes == bytes) return pack ? row.pack : row.unpack;
    return nullptr;
}

void select_pack(Site& site, const ptx::Operand& list, const ptx::Operand& whole, bool pack) {
    const unsigned bytes = type_bytes(site.type());
    const auto count = static_cast<unsigned>(list.elements.size());
    if (count == 0) return site.refuse();
    const unsigned element = bytes / count;
    const ptx::Type element_type = element == 8 ? b64 : element == 4 ? b32 : element == 2 ? b16 : b8;
    std::vector<std::uint32_t> offsets;
    for (const ptx::Operand& part : list.elements)
        offsets.push_back(pack ? site.source(part, element_type) : site.destination(part, element > 4 ? 8 : 4));
    site.out.extra = site.list(offsets);
    (pack ? site.out.d : site.out.a) =
        pack ? site.destination(whole, bytes > 4 ? bytes : 4) : site.source(whole, site.type());
    site.run(pack_handler(pack, count, bytes));
}

}  // namespace

void select_mov(Site& site) {
    const ptx::Operand &to = site.operand(0), &from = site.operand(1);
    if (site.has(Mod::v4)) {
        // %tid and its kin as wholes: x, y, z and a zero.
        if (to.kind != ptx::Operand::Kind::vector || to.elements.size() != 4 || lane_bytes(site.type()) != 4)
            return site.refuse();
        std::vector<std::uint32_t> offsets;
        for (const ptx::Operand& element : to.elements) offsets.push_back(site.destination(element, 4));
        site.out.count = static_cast<std::uint16_t>(offsets.size());
        const Handler handler = select_special_vector(from.name, site);
        site.out.cache = site.list(offsets);
        return site.run(handler);
    }
    if (site.type() == pred) {
        site.out.d = site.predicate_destination(to);
        if (from.name == "%is_explicit_cluster") return site.run(run_is_explicit_cluster);
        site.out.a = site.predicate(from);
        site.out.immediate = from.negated ? 0xFFFFFFFF : 0;
        return site.run(run_move_predicate);
    }
    if (to.kind == ptx::Operand::Kind::vector) return select_pack(site, to, from, false);
    if (from.kind == ptx::Operand::Kind::vector) return select_pack(site, from, to, true);
    const unsigned bytes = lane_bytes(site.type());
    site.out.d = site.destination(to, bytes);
    if (from.kind == ptx::Operand::Kind::name && is_special_register(from.name))
        return site.run(select_special_register(from.name, bytes, site));
    if (from.kind == ptx::Operand::Kind::name && bytes == 8) {
        auto place = site.place(from.name);
        if (place && place->in_frame) {
            site.out.immediate = static_cast<std::int64_t>(place->address) + from.offset;
            return site.run(run_frame_address);
        }
    }
    site.out.a = site.source(from, site.type());
    site.run(bytes == 4 ? run_move<std::uint32_t> : bytes == 8 ? run_move<std::uint64_t> : run_move_128);
}

void select_cvta(Site& site) {
    if (site.type() != u64) return site.refuse("addresses have 64 bits");
    const Address window = window_of(site.space());
    const ptx::Operand& from = site.operand(1);
    site.out.d = site.destination(site.operand(0), 8);
    if (from.kind == ptx::Operand::Kind::name) {
        auto place = site.place(from.name);
        if (place && place->in_frame) {
            site.out.immediate = static_cast<std::int64_t>(place->address + local_window) + from.offset;
            return site.run(run_frame_address);
        }
    }
    site.out.a = site.source(from, u64);
    if (window == 0) return site.run(run_move<std::uint64_t>);
    site.out.immediate = static_cast<std::int64_t>(site.has(Mod::to) ? 0 - window : window);
    site.run(run_add_constant);
}

void select_isspacep(Site& site) {
    site.out.d = site.predicate_destination(site.operand(0));
    site.out.a = site.source(site.operand(1), u64);
    site.out.immediate = static_cast<std::int64_t>(window_of(site.space()));
    if (site.modifiers.shared_cluster) return site.run(run_is_in_cluster);
    site.run(site.space() == Space::constant ? run_is_constant : run_isspacep);
}

void select_mapa(Site& site) {
    const bool wide = site.type() == u64;
    site.out.d = site.destination(site.operand(0), wide ? 8 : 4);
    site.out.a = site.source(site.operand(1), site.type());
    site.out.b = site.source(site.operand(2), u32);
    site.out.option = site.modifiers.shared_cluster ? 0 : 1;
    site.run(wide ? run_mapa<std::uint64_t> : run_mapa<std::uint32_t>);
}

void select_getctarank(Site& site) {
    site.out.d = site.destination(site.operand(0), 4);
    site.out.b = site.source(site.operand(1), site.type());
    site.out.option = site.modifiers.shared_cluster ? 0 : 1;
    site.run(site.type() == u64 ? run_getctarank<std::uint64_t> : run_getctarank<std::uint32_t>);
}

void select_createpolicy(Site& site) {
    // A policy changes where lines stay in the cache, never a value.
    site.out.d = site.destination(site.operand(0), 8);
    site.out.a = site.constant(0, 8);
    site.run(run_move<std::uint64_t>);
}

}  // namespace cudash::virtual_gpu
