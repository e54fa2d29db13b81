#include "runtime_wrappers/virtual_gpu/exec/affine_memory.h"

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/exec/affine.h"
#include "runtime_wrappers/virtual_gpu/exec/lane_transfer.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"

namespace cudash::virtual_gpu {
namespace {

using enum ptx::Type;
using ptx::Space;

/// Where the two halves' lanes begin, and how far apart they are in bytes.
struct AffinePlaces {
    std::byte* first[2];
    std::int64_t step;
};

/// False: the 32 addresses wrap around, or some are not allowed; the lanes' way finds out about the active ones.
template <Space Space, class AddressLane, std::uint32_t Size>
[[gnu::always_inline]] inline bool resolve_affine(const Instruction* i, Warp& w, AccessKind kind,
                                                  AffinePlaces& places) {
    const Affine& address = affine(w, i->a);
    const auto offset = static_cast<std::uint64_t>(i->immediate);
    const std::uint64_t first = static_cast<AddressLane>(address.base) + offset;
    const std::uint64_t second = static_cast<AddressLane>(address.base + address.half) + offset;
    const std::int64_t step = static_cast<std::make_signed_t<AddressLane>>(address.step);
    std::uint64_t low = std::min(first, second), high = std::max(first, second);
    if (step == Size) {
        high += 15 * Size;
    } else if (step != 0) {
        constexpr std::int64_t longest_step = std::int64_t{1} << 40;
        if (step > longest_step || step < -longest_step || (step & (Size - 1)) != 0) return false;
        const auto reach = static_cast<std::uint64_t>(15 * step);
        (step > 0 ? high : low) += reach;
    }
    if (low > high || ((first | second) & (Size - 1)) != 0) return false;
    if constexpr (sizeof(AddressLane) == 4) {
        if (low - offset > 0xFFFF'FFFF || high - offset > 0xFFFF'FFFF) return false;
    }
    std::uint64_t bias;
    if (!check_range<Space>(w, i, low, high, {Space, kind, Size}, bias)) return false;
    places.first[0] = reinterpret_cast<std::byte*>(first + bias);
    places.first[1] = reinterpret_cast<std::byte*>(second + bias);
    places.step = step;
    return true;
}

template <Space Space, class AddressLane>
bool resolve_expanded(const Instruction* i, Warp& w, Access& access, const AccessShape& shape, Layout (&layouts)[2]) {
    alignas(64) AddressLane registers[warp_size];
    expand(affine(w, i->a), registers);
    for (unsigned l = 0; l < warp_size; ++l)
        access.address[l] = registers[l] + static_cast<std::uint64_t>(i->immediate);
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

template <Space S, class AddressLane>
const Instruction* run_multiply_add(const Instruction* i, Warp& w) {
    const Instruction* sum = i + 2;
    AffinePlaces x, y;
    const bool resolved = w.mask == full_mask && resolve_affine<S, AddressLane, 4>(i, w, AccessKind::load, x) &&
                          resolve_affine<S, AddressLane, 4>(i + 1, w, AccessKind::load, y);
    // One after the other, so that what is wrong is told of the right one.
    if (!resolved) [[unlikely]]
        return run_load<S, AddressLane, Lane32, Lane32>(i, w);
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
    return next(sum, w);
}

template <Space S, class AddressLane, class T, class L>
[[gnu::noinline]] const Instruction* store_expanded(const Instruction* i, Warp& w) {
    Access access;
    Layout layouts[2];
    if (!resolve_expanded<S, AddressLane>(i, w, access, {S, AccessKind::store, sizeof(T)}, layouts)) return nullptr;
    w.wrote = true;
    store_lanes<T, L>(w, access, layouts, lanes<L>(w, i->d), 0);
    return i + 1;
}

template <Space S, class AddressLane, class T, class L>
const Instruction* run_store(const Instruction* i, Warp& w) {
    AffinePlaces places;
    if (!resolve_affine<S, AddressLane, sizeof(T)>(i, w, AccessKind::store, places)) [[unlikely]]
        return store_expanded<S, AddressLane, T, L>(i, w);
    w.wrote = true;
    const L* source = lanes<L>(w, i->d);
    if (w.mask != full_mask) {
        for_each_lane(w.mask, [&](unsigned l) {
            const T value = static_cast<T>(source[l]);
            std::memcpy(places.first[l / 16] + l % 16 * places.step, &value, sizeof value);
        });
    } else if (places.step == sizeof(T)) {
        store_half<T, L>(places.first[0], Layout::consecutive, source);
        store_half<T, L>(places.first[1], Layout::consecutive, source + 16);
    } else {
        // In the order of the lanes: where some write to one place, the last of them wins.
        for (unsigned h = 0; h < 2; ++h)
            for (unsigned l = 0; l < 16; ++l) {
                const T value = static_cast<T>(source[16 * h + l]);
                std::memcpy(places.first[h] + l * places.step, &value, sizeof value);
            }
    }
    return i->count ? next(i, w) : i + 1;
}

template <Space S, class A, class T>
struct Loads {
    static constexpr Handler run = &run_load<S, A, T, Lane<T>>;
};
template <Space S, class A, class T>
struct Stores {
    static constexpr Handler run = &run_store<S, A, T, Lane<T>>;
};

template <template <Space, class, class> class Handlers, class T>
Handler in_space(Space space, bool wide) {
    struct Row {
        Space space;
        Handler narrow, wide;
    };
    static constexpr Row rows[] = {
        {Space::none, nullptr, Handlers<Space::none, Lane64, T>::run},
        {Space::global, nullptr, Handlers<Space::global, Lane64, T>::run},
        {Space::constant, nullptr, Handlers<Space::global, Lane64, T>::run},
        {Space::shared, Handlers<Space::shared, Lane32, T>::run, Handlers<Space::shared, Lane64, T>::run},
    };
    for (const Row& row : rows)
        if (row.space == space) return wide ? row.wide : row.narrow;
    return nullptr;
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
bool are_loads(const Instruction* i) {
    constexpr Handler load = &run_load<S, AddressLane, Lane32, Lane32>;
    return i[0].run == load && i[1].run == load;
}

}  // namespace

Handler fused_multiply_add(const Instruction* i) {
    if (i[2].run != map<&semantics::fma_f32<Rounding::rn, false, false>>) return nullptr;
    const bool product = (i[2].a == i[0].d && i[2].b == i[1].d) || (i[2].b == i[0].d && i[2].a == i[1].d);
    if (!product || i[0].d == i[1].d) return nullptr;
    if (are_loads<Space::global, Lane64>(i)) return run_multiply_add<Space::global, Lane64>;
    if (are_loads<Space::shared, Lane32>(i)) return run_multiply_add<Space::shared, Lane32>;
    return are_loads<Space::none, Lane64>(i) ? run_multiply_add<Space::none, Lane64> : nullptr;
}

Handler affine_load(const AffineQuery& query) {
    if (!is_plain_access(query, query.written.operands[0], query.destination_bytes)) return nullptr;
    const auto pick = [&]<class T>() { return in_space<Loads, T>(space_of(query), query.wide_address); };
    if (type_bytes(query.type()) == 4) return pick.operator()<std::uint32_t>();
    if (type_bytes(query.type()) == 8) return pick.operator()<std::uint64_t>();
    return for_type<b8, u8, s8, b16, u16, s16>(query.type(), pick);
}

Handler affine_store(const AffineQuery& query) {
    if (!is_plain_access(query, query.written.operands[1], query.source_bytes)) return nullptr;
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
            return nullptr;
    }
}

}  // namespace cudash::virtual_gpu
