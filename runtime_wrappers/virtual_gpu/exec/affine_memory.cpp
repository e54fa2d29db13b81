#include "runtime_wrappers/virtual_gpu/exec/affine_memory.h"

#include "runtime_wrappers/virtual_gpu/exec/affine_access.h"
#include "runtime_wrappers/virtual_gpu/exec/lane_transfer.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {
namespace {

using enum ptx::Type;
using ptx::Space;

template <Space Space, class AddressLane>
bool resolve_expanded(const Instruction* i, Warp& w, Access& access, const AccessShape& shape, Layout (&layouts)[2]) {
    alignas(64) AddressLane registers[warp_size];
    expand(affine(w, i->a), registers);
    for (unsigned l = 0; l < warp_size; ++l) access.address[l] = with_offset(registers[l], i);
    return check_addresses<Space>(i, w, access, shape, layouts);
}

template <Space S, class AddressLane, class T, class L>
[[gnu::noinline]] const Instruction* load_expanded(const Instruction* i, Warp& w) {
    Access access;
    Layout layouts[2];
    if (!resolve_expanded<S, AddressLane>(i, w, access, {S, AccessKind::load, sizeof(T)}, layouts)) return nullptr;
    load_lanes<T, L>(w, access, layouts, lanes<L>(w, i->d), 0);
    return i + 1;
}

template <class T, class L>
[[gnu::always_inline]] inline void load_places(const AffinePlaces& places, L* d) {
    if (places.step == sizeof(T)) {
        load_half<T, L>(places.first[0], Layout::consecutive, d);
        load_half<T, L>(places.first[1], Layout::consecutive, d + 16);
    } else if (places.step == 0) {
        load_half<T, L>(places.first[0], Layout::uniform, d);
        load_half<T, L>(places.first[1], Layout::uniform, d + 16);
    } else {
        for (unsigned h = 0; h < 2; ++h)
            for (unsigned l = 0; l < 16; ++l)
                d[16 * h + l] = widen_to<T, L>(read<T>(places.first[h] + l * places.step));
    }
}

/// Some lanes are not active and keep what they have; all 32 places may be read.
template <Space S, class AddressLane, class T, class L>
[[gnu::noinline]] const Instruction* load_partial(const Instruction* i, Warp& w) {
    AffinePlaces places;
    if (!resolve_affine<S, AddressLane, sizeof(T)>(i, w, AccessKind::load, places))
        return load_expanded<S, AddressLane, T, L>(i, w);
    alignas(64) L all[warp_size];
    load_places<T, L>(places, all);
    write_lanes<L>(w, lanes<L>(w, i->d), [&](unsigned l) { return all[l]; });
    return i + 1;
}

template <Space S, class AddressLane, class T, class L>
const Instruction* run_load(const Instruction* i, Warp& w) {
    if (w.mask != full_mask) return load_partial<S, AddressLane, T, L>(i, w);
    AffinePlaces places;
    if (!resolve_affine<S, AddressLane, sizeof(T)>(i, w, AccessKind::load, places)) [[unlikely]]
        return load_expanded<S, AddressLane, T, L>(i, w);
    load_places<T, L>(places, lanes<L>(w, i->d));
    return i->count ? next(i, w) : i + 1;
}

/// The sum of a fused multiply-add, of what lies at x and y.
[[gnu::always_inline]] inline void multiply_add(const Instruction* i, Warp& w, const AffinePlaces& x,
                                                const AffinePlaces& y) {
    const Instruction* sum = i + 2;
    const bool crossed = sum->b == i->d;
    const AffinePlaces &a = crossed ? y : x, &b = crossed ? x : y;
    alignas(64) Lane32 left[warp_size], right[warp_size];
    load_places<Lane32, Lane32>(a, left);
    load_places<Lane32, Lane32>(b, right);
    const Lane32* c = lanes<float>(w, sum->c);
    Lane32* d = lanes<float>(w, sum->d);
    CUDASH_LANE_LOOP
    for (unsigned l = 0; l < warp_size; ++l)
        d[l] = to_lane<float>(semantics::fma_f32<Rounding::rn, false, false>(
            from_lane<float>(left[l]), from_lane<float>(right[l]), from_lane<float>(c[l])));
}

template <Space S, class AddressLane>
const Instruction* run_multiply_add(const Instruction* i, Warp& w) {
    AffinePlaces x, y;
    const bool resolved = w.mask == full_mask && resolve_affine<S, AddressLane, 4>(i, w, AccessKind::load, x) &&
                          resolve_affine<S, AddressLane, 4>(i + 1, w, AccessKind::load, y);
    // One after the other, so that what is wrong is told of the right one.
    if (!resolved) [[unlikely]]
        return run_load<S, AddressLane, Lane32, Lane32>(i, w);
    multiply_add(i, w, x, y);
    return next(i + 2, w);
}

template <Space S, class AddressLane, class T, class L>
[[gnu::noinline]] const Instruction* store_expanded(const Instruction* i, Warp& w) {
    Access access;
    Layout layouts[2];
    const AccessShape shape{S, AccessKind::store, sizeof(T), lanes<L>(w, i->d), sizeof(L)};
    if (!resolve_expanded<S, AddressLane>(i, w, access, shape, layouts)) return nullptr;
    const ChangeWatch changes(w, access, sizeof(T));
    store_lanes<T, L>(w, access, layouts, lanes<L>(w, i->d), 0);
    return i + 1;
}

template <class T, class L>
[[gnu::always_inline]] inline void store_places(const Warp& w, const AffinePlaces& places, const L* source) {
    if (w.mask != full_mask) {
        for_each_storing_lane(w.mask, lanes_at_once<sizeof(T)>, [&](unsigned l) {
            const T value = static_cast<T>(source[l]);
            std::memcpy(places.first[l / 16] + l % 16 * places.step, &value, sizeof value);
        });
    } else if (places.step == sizeof(T)) {
        store_rows<T, L>(places.first[0], places.first[1], source);
    } else {
        store_halves<sizeof(T)>([&](unsigned h) {
            for (unsigned l = 16; l-- > 0;) {
                const T value = static_cast<T>(source[16 * h + l]);
                std::memcpy(places.first[h] + l * places.step, &value, sizeof value);
            }
        });
    }
}

template <Space S, class AddressLane, class T, class L>
const Instruction* run_store(const Instruction* i, Warp& w) {
    AffinePlaces places;
    if (w.watched || !resolve_affine<S, AddressLane, sizeof(T)>(i, w, AccessKind::store, places, lanes<L>(w, i->d),
                                                                sizeof(L))) [[unlikely]]
        return store_expanded<S, AddressLane, T, L>(i, w);
    w.wrote = true;
    store_places<T, L>(w, places, lanes<L>(w, i->d));
    return i->count ? next(i, w) : i + 1;
}

// All warps of a block.

/// What resolve_block found is going to be done.
template <Space Space, std::uint32_t Size>
[[gnu::always_inline]] inline void tell_block(const Instruction* i, Warp& w, AccessKind kind,
                                              const BlockPlaces& places) {
    if (w.observer && w.observer->takes_blocks) [[unlikely]]
        observe_block(w, i, {places.first - places.bias, places.step, places.half, places.warp}, {Space, kind, Size});
}

/// One warp after the other, where not all places may be touched or some lie in the way of others.
template <Handler Run, bool Store>
[[gnu::noinline]] const Instruction* run_by_warp(const Instruction* i, Warp& w) {
    const Affine address = affine(w, i->a);
    const Instruction* after = i + 1;
    const auto run = [&](Warp& each) {
        if (each.index != 0) affine(each, i->a) = address.of_warp(each.index);
        if (after) after = Run(i, each);
    };
    if constexpr (Store)
        for_each_storing_warp(w, run);
    else
        for_each_active_warp(w, run);
    return after ? next(i, w) : fault_in_lockstep(w);
}

/// The lanes of a warp lie apart, and those of all warps that have the same number beside each other: to go from warp
/// to warp touches each cache line once.
inline bool are_columns(const BlockPlaces& places, const Lockstep& lockstep, std::int64_t size) {
    const std::int64_t warps = lockstep.last - lockstep.first + 1;
    if (lockstep.masked || warps == 1 || places.half < size || places.warp < places.half + size) return false;
    return (warps - 1) * places.warp + places.half + size <= places.step;
}

template <Space S, class AddressLane, class T, class L>
const Instruction* run_block_load(const Instruction* i, Warp& w) {
    BlockPlaces places;
    if (!resolve_block<S, AddressLane, sizeof(T)>(i, w, AccessKind::load, places)) [[unlikely]]
        return run_by_warp<&run_load<S, AddressLane, T, L>, false>(i, w);
    tell_block<S, sizeof(T)>(i, w, AccessKind::load, places);
    for_each_active_warp(w, [&](Warp& each) {
        L* d = lanes<L>(each, i->d);
        if (each.mask == full_mask) {
            load_places<T, L>(places.of_warp(each.index), d);
        } else {
            alignas(64) L all[warp_size];
            load_places<T, L>(places.of_warp(each.index), all);
            write_lanes<L>(each, d, [&](unsigned l) { return all[l]; });
        }
    });
    return next(i, w);
}

template <Space S, class AddressLane, class T, class L>
[[gnu::noinline]] void store_columns(const Instruction* i, Warp& w, const BlockPlaces& places) {
    Lockstep& lockstep = w.block->lockstep;
    ++lockstep.columns;
    const L* sources[most_warps];
    for (std::uint32_t k = lockstep.first; k <= lockstep.last; ++k) sources[k] = lanes<L>((&w)[k], i->d);
    for (unsigned l = 0; l < 16; ++l) {
        auto* row = reinterpret_cast<std::byte*>(places.first + l * static_cast<std::uint64_t>(places.step));
        for (std::uint32_t k = lockstep.first; k <= lockstep.last; ++k) {
            const T values[2] = {static_cast<T>(sources[k][l]), static_cast<T>(sources[k][16 + l])};
            std::byte* at = row + k * places.warp;
            std::memcpy(at, &values[0], sizeof(T));
            std::memcpy(at + places.half, &values[1], sizeof(T));
        }
    }
}

template <Space S, class AddressLane, class T, class L>
[[gnu::noinline]] void store_backwards(const Instruction* i, Warp& w, const BlockPlaces& places) {
    for_each_storing_warp(
        w, [&](Warp& each) { store_places<T, L>(each, places.of_warp(each.index), lanes<L>(each, i->d)); });
}

template <Space S, class AddressLane, class T, class L>
const Instruction* run_block_store(const Instruction* i, Warp& w) {
    BlockPlaces places;
    if (!resolve_block<S, AddressLane, sizeof(T)>(i, w, AccessKind::store, places)) [[unlikely]]
        return run_by_warp<&run_store<S, AddressLane, T, L>, true>(i, w);
    tell_block<S, sizeof(T)>(i, w, AccessKind::store, places);
    if (are_columns(places, w.block->lockstep, sizeof(T))) {
        store_columns<S, AddressLane, T, L>(i, w, places);
    } else if (w.block->lockstep.reversed) [[unlikely]] {
        store_backwards<S, AddressLane, T, L>(i, w, places);
    } else {
        for_each_active_warp(
            w, [&](Warp& each) { store_places<T, L>(each, places.of_warp(each.index), lanes<L>(each, i->d)); });
    }
    return next(i, w);
}

template <Space S, class AddressLane>
const Instruction* run_block_multiply_add(const Instruction* i, Warp& w) {
    BlockPlaces x, y;
    const bool resolved = !w.block->lockstep.masked && resolve_block<S, AddressLane, 4>(i, w, AccessKind::load, x) &&
                          resolve_block<S, AddressLane, 4>(i + 1, w, AccessKind::load, y);
    if (!resolved) [[unlikely]]
        return run_block_load<S, AddressLane, Lane32, Lane32>(i, w);
    tell_block<S, 4>(i, w, AccessKind::load, x);
    tell_block<S, 4>(i + 1, w, AccessKind::load, y);
    for_each_active_warp(w, [&](Warp& each) { multiply_add(i, each, x.of_warp(each.index), y.of_warp(each.index)); });
    return next(i + 2, w);
}

template <Space S, class A, class T>
struct Loads {
    static constexpr AffineForms run = {&run_load<S, A, T, Lane<T>>, &run_block_load<S, A, T, Lane<T>>};
};
template <Space S, class A, class T>
struct Stores {
    static constexpr AffineForms run = {&run_store<S, A, T, Lane<T>>, &run_block_store<S, A, T, Lane<T>>};
};

template <template <Space, class, class> class Handlers, class T>
AffineForms in_space(Space space, bool wide) {
    struct Row {
        Space space;
        AffineForms narrow, wide;
    };
    static constexpr Row rows[] = {
        {Space::none, {}, Handlers<Space::none, Lane64, T>::run},
        {Space::global, {}, Handlers<Space::global, Lane64, T>::run},
        {Space::constant, {}, Handlers<Space::global, Lane64, T>::run},
        {Space::shared, Handlers<Space::shared, Lane32, T>::run, Handlers<Space::shared, Lane64, T>::run},
    };
    for (const Row& row : rows)
        if (row.space == space) return wide ? row.wide : row.narrow;
    return {};
}

/// Elements as wide as their register's lanes, and narrower ones in 32-bit registers; no vectors and no ordered access.
bool is_plain_access(const AffineQuery& query, const ptx::Operand& value, unsigned bytes) {
    for (Mod mod : {Mod::volatile_, Mod::relaxed, Mod::acquire, Mod::release, Mod::mmio})
        if (query.has(mod)) return false;
    return value.kind != ptx::Operand::Kind::vector && bytes == (type_bytes(query.type()) == 8 ? 8 : 4);
}
Space space_of(const AffineQuery& query) {
    return query.modifiers.spaces.empty() ? Space::none : query.modifiers.spaces.front();
}

template <Space S, class AddressLane>
Handler multiply_add_of(const Instruction* i) {
    constexpr AffineForms load = Loads<S, AddressLane, Lane32>::run;
    if (i[0].run == load.warp && i[1].run == load.warp) return run_multiply_add<S, AddressLane>;
    return i[0].run == load.block && i[1].run == load.block ? run_block_multiply_add<S, AddressLane> : nullptr;
}

}  // namespace

Handler fused_multiply_add(const Instruction* i) {
    const bool lockstep = i[2].run == run_each_warp || i[2].run == run_sequence;
    const Handler sum = lockstep ? i[2].inner : i[2].run;
    if (sum != map<&semantics::fma_f32<Rounding::rn, false, false>>.run) return nullptr;
    const bool product = (i[2].a == i[0].d && i[2].b == i[1].d) || (i[2].b == i[0].d && i[2].a == i[1].d);
    if (!product || i[0].d == i[1].d) return nullptr;
    if (Handler found = multiply_add_of<Space::global, Lane64>(i)) return found;
    if (Handler found = multiply_add_of<Space::shared, Lane32>(i)) return found;
    return multiply_add_of<Space::none, Lane64>(i);
}

AffineForms affine_load(const AffineQuery& query) {
    if (!is_plain_access(query, query.written.operands[0], query.destination_bytes)) return {};
    const auto pick = [&]<class T>() { return in_space<Loads, T>(space_of(query), query.wide_address); };
    if (type_bytes(query.type()) == 4) return pick.operator()<std::uint32_t>();
    if (type_bytes(query.type()) == 8) return pick.operator()<std::uint64_t>();
    switch (query.type()) {
        case s8:
            return pick.operator()<std::int8_t>();
        case s16:
            return pick.operator()<std::int16_t>();
        case b8:
        case u8:
            return pick.operator()<std::uint8_t>();
        case b16:
        case u16:
            return pick.operator()<std::uint16_t>();
        default:
            return {};
    }
}

AffineForms affine_store(const AffineQuery& query) {
    if (!is_plain_access(query, query.written.operands[1], query.source_bytes)) return {};
    const auto pick = [&]<class T>() { return in_space<Stores, T>(space_of(query), query.wide_address); };
    switch (type_bytes(query.type())) {
        case 1:
            return pick.operator()<std::uint8_t>();
        case 2:
            return pick.operator()<std::uint16_t>();
        case 4:
            return pick.operator()<std::uint32_t>();
        case 8:
            return pick.operator()<std::uint64_t>();
        default:
            return {};
    }
}

}  // namespace cudash::virtual_gpu
