// ld, ldu, st and their vector forms.
#include "runtime_wrappers/virtual_gpu/exec/lane_transfer.h"
#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"

namespace cudash::virtual_gpu {
namespace {

using enum ptx::Type;
using ptx::Space;

template <Space S, class AddressLane, class T, class L>
[[gnu::noinline]] const Instruction* load_any(const Instruction* i, Warp& w) {
    Access access;
    Layout layouts[2];
    if (!resolve<S, AddressLane>(i, w, access, {S, AccessKind::load, sizeof(T)}, layouts)) return nullptr;
    load_lanes<T, L>(w, access, layouts, lanes<L>(w, i->d), 0);
    return i + 1;
}

template <Space S, class AddressLane, class T, class L>
const Instruction* run_load(const Instruction* i, Warp& w) {
    if constexpr (S != Space::local && S != Space::param) {
        HalfWarpAccess halves;
        if (resolve_halves<S, AddressLane, sizeof(T)>(i, w, AccessKind::load, halves)) [[likely]] {
            L* d = lanes<L>(w, i->d);
            load_half<T, L>(halves.first[0], halves.layout[0], d);
            load_half<T, L>(halves.first[1], halves.layout[1], d + 16);
            return i + 1;
        }
    }
    return load_any<S, AddressLane, T, L>(i, w);
}

/// Vectors: `count` elements, their registers in Code::operands from `extra` on; one access of all bytes.
template <Space S, class AddressLane, class T, class L>
const Instruction* run_load_vector(const Instruction* i, Warp& w) {
    Access access;
    Layout layouts[2];
    if (!resolve<S, AddressLane>(i, w, access, {S, AccessKind::load, static_cast<std::uint32_t>(sizeof(T) * i->count)},
                                 layouts))
        return nullptr;
    for (Layout& layout : layouts)
        if (layout == Layout::consecutive) layout = Layout::scattered;  // the elements of one register are not adjacent
    const std::uint32_t* registers = &w.frame->code->operands[i->extra];
    for (unsigned e = 0; e < i->count; ++e) load_lanes<T, L>(w, access, layouts, lanes<L>(w, registers[e]), e);
    return i + 1;
}

template <Space S, class AddressLane, class T, class L>
[[gnu::noinline]] const Instruction* store_any(const Instruction* i, Warp& w) {
    Access access;
    Layout layouts[2];
    const AccessShape shape{S, AccessKind::store, sizeof(T), lanes<L>(w, i->d), sizeof(L)};
    if (!resolve<S, AddressLane>(i, w, access, shape, layouts)) return nullptr;
    const ChangeWatch changes(w, access, sizeof(T));
    store_lanes<T, L>(w, access, layouts, lanes<L>(w, i->d), 0);
    return i + 1;
}

template <Space S, class AddressLane, class T, class L>
const Instruction* run_store(const Instruction* i, Warp& w) {
    if constexpr (S != Space::local && S != Space::param) {
        HalfWarpAccess halves;
        if (!w.watched && resolve_halves<S, AddressLane, sizeof(T)>(i, w, AccessKind::store, halves)) [[likely]] {
            w.wrote = true;
            const L* source = lanes<L>(w, i->d);
            store_halves<sizeof(T)>(
                [&](unsigned h) { store_half<T, L>(halves.first[h], halves.layout[h], source + 16 * h); });
            return i + 1;
        }
    }
    return store_any<S, AddressLane, T, L>(i, w);
}

template <Space S, class AddressLane, class T, class L>
const Instruction* run_store_vector(const Instruction* i, Warp& w) {
    Access access;
    Layout layouts[2];
    if (!resolve<S, AddressLane>(i, w, access, {S, AccessKind::store, static_cast<std::uint32_t>(sizeof(T) * i->count)},
                                 layouts))
        return nullptr;
    layouts[0] = layouts[1] = Layout::scattered;
    const ChangeWatch changes(w, access, static_cast<std::uint32_t>(sizeof(T) * i->count));
    const std::uint32_t* registers = &w.frame->code->operands[i->extra];
    for (unsigned e = 0; e < i->count; ++e)
        store_lanes<T, L>(w, access, layouts, lanes<L>(w, registers[e]), e, i->count);
    return i + 1;
}

/// A kernel parameter at a fixed place: the same for all lanes.
template <class T, class L>
const Instruction* run_load_parameter(const Instruction* i, Warp& w) {
    const std::byte* parameters = w.block->launch->parameters.data() + i->immediate;
    if (i->count == 0) {
        const L value = widen_to<T, L>(read<T>(parameters));
        write_lanes<L>(w, lanes<L>(w, i->d), [&](unsigned) { return value; });
        return i + 1;
    }
    const std::uint32_t* registers = &w.frame->code->operands[i->extra];
    for (unsigned e = 0; e < i->count; ++e) {
        const L value = widen_to<T, L>(read<T>(parameters + e * sizeof(T)));
        write_lanes<L>(w, lanes<L>(w, registers[e]), [&](unsigned) { return value; });
    }
    return i + 1;
}

/// A fixed place in the frame's local memory: a local variable, or a parameter of a call.
template <class T, class L, bool Store>
const Instruction* run_frame_access(const Instruction* i, Warp& w) {
    const std::uint64_t offset = w.local_base + static_cast<std::uint64_t>(i->immediate);
    const std::uint32_t* list = i->count ? &w.frame->code->operands[i->extra] : &i->d;
    if (w.observer) [[unlikely]]
        observe_frame(w, i, offset, static_cast<std::uint32_t>(sizeof(T) * (i->count ? i->count : 1)),
                      Store ? AccessKind::store : AccessKind::load);
    for (unsigned e = 0; e < (i->count ? i->count : 1u); ++e) {
        L* registers = lanes<L>(w, list[e]);
        for_each_lane(w.mask, [&](unsigned l) {
            std::byte* memory = w.local + l * w.local_stride + offset + e * sizeof(T);
            if constexpr (Store) {
                const T value = static_cast<T>(registers[l]);
                std::memcpy(memory, &value, sizeof value);
            } else {
                registers[l] = widen_to<T, L>(read<T>(memory));
            }
        });
    }
    return i + 1;
}

template <template <Space, class, class, class> class Handlers, class T, class L>
Handler in_space(Space space, bool wide, bool vector) {
    struct Row {
        Space space;
        Handler narrow, wide, narrow_vector, wide_vector;
    };
    static constexpr Row rows[] = {
        {Space::none, nullptr, Handlers<Space::none, Lane64, T, L>::one, nullptr,
         Handlers<Space::none, Lane64, T, L>::vector},
        {Space::global, nullptr, Handlers<Space::global, Lane64, T, L>::one, nullptr,
         Handlers<Space::global, Lane64, T, L>::vector},
        {Space::constant, Handlers<Space::global, Lane32, T, L>::one, Handlers<Space::global, Lane64, T, L>::one,
         Handlers<Space::global, Lane32, T, L>::vector, Handlers<Space::global, Lane64, T, L>::vector},
        {Space::shared, Handlers<Space::shared, Lane32, T, L>::one, Handlers<Space::shared, Lane64, T, L>::one,
         Handlers<Space::shared, Lane32, T, L>::vector, Handlers<Space::shared, Lane64, T, L>::vector},
        {Space::local, Handlers<Space::local, Lane32, T, L>::one, Handlers<Space::local, Lane64, T, L>::one,
         Handlers<Space::local, Lane32, T, L>::vector, Handlers<Space::local, Lane64, T, L>::vector},
        {Space::param, Handlers<Space::param, Lane32, T, L>::one, Handlers<Space::param, Lane64, T, L>::one,
         Handlers<Space::param, Lane32, T, L>::vector, Handlers<Space::param, Lane64, T, L>::vector},
    };
    for (const Row& row : rows)
        if (row.space == space)
            return vector ? (wide ? row.wide_vector : row.narrow_vector) : (wide ? row.wide : row.narrow);
    return nullptr;
}

template <Space S, class A, class T, class L>
struct Loads {
    static constexpr Handler one = &run_load<S, A, T, L>, vector = &run_load_vector<S, A, T, L>;
};
template <Space S, class A, class T, class L>
struct Stores {
    static constexpr Handler one = &run_store<S, A, T, L>, vector = &run_store_vector<S, A, T, L>;
};

/// pick<T>() with the integer that has the type's size and, for loads, its sign.
template <class Pick>
Handler for_memory_type(ptx::Type type, bool keep_sign, Pick pick) {
    if (keep_sign && type == s8) return pick.template operator()<std::int8_t>();
    if (keep_sign && type == s16) return pick.template operator()<std::int16_t>();
    if (keep_sign && type == s32) return pick.template operator()<std::int32_t>();
    const unsigned bytes = type_bytes(type);
    if (bytes == 1) return pick.template operator()<std::uint8_t>();
    if (bytes == 2) return pick.template operator()<std::uint16_t>();
    if (bytes == 4) return pick.template operator()<std::uint32_t>();
    return bytes >= 8 ? pick.template operator()<std::uint64_t>() : nullptr;
}

unsigned element_bytes(const Site& site) {
    return std::min(type_bytes(site.type()), 8u);
}

/// The registers of a scalar or vector operand: out.d, or a list in out.extra with out.count. Returns lane bytes.
unsigned value_registers(Site& site, const ptx::Operand& operand, bool is_load) {
    const ptx::Type type = site.type();
    const bool vector = operand.kind == ptx::Operand::Kind::vector;
    const std::vector<ptx::Operand> single{operand};
    const auto& elements = vector ? operand.elements : single;
    if (vector && !site.fits_vector(elements.size())) return 0;
    unsigned bytes = 0;
    for (const ptx::Operand& element : elements) bytes = std::max(bytes, site.register_bytes(element));
    if (bytes == 0) bytes = type_bytes(type) > 4 ? 8 : 4;
    std::vector<std::uint32_t> offsets;
    if (type == b128 && !vector) {
        // A register of 128 bits is two of 64 beside each other.
        constexpr std::uint32_t half = 8 * warp_size;
        const std::uint32_t first = is_load ? site.destination(operand, 16) : site.source(operand, b128);
        site.out.d = first;
        site.out.count = 2;
        site.out.extra = site.list({first, first + half});
        return 8;
    }
    for (const ptx::Operand& element : elements) {
        if (is_load) {
            offsets.push_back(site.destination(element, bytes));
        } else {
            offsets.push_back(site.source(element, site.register_bytes(element) == 8                 ? b64
                                                   : site.register_bytes(element) == 4 && bytes == 4 ? b32
                                                                                                     : type));
        }
    }
    site.out.d = offsets.front();
    if (!vector) return bytes;
    site.out.count = static_cast<std::uint16_t>(offsets.size());
    site.out.extra = site.list(offsets);
    return bytes;
}

/// Looking at memory that others change makes the scheduler give them a turn. `inner` does the access.
const Instruction* run_strong(const Instruction* i, Warp& w) {
    w.polled = true;
    return i->inner(i, w);
}

/// Volatile and ordered accesses to memory that other blocks see tie the result to the order of blocks.
bool is_strong(const Site& site) {
    for (Mod mod : {Mod::volatile_, Mod::relaxed, Mod::acquire, Mod::release, Mod::mmio})
        if (site.has(mod)) return true;
    return false;
}

}  // namespace

void select_ld(Site& site) {
    const ptx::Operand& source = site.operand(1);
    if (site.operand(0).kind == ptx::Operand::Kind::vector && site.type() == b128) return site.refuse();
    const unsigned lane = value_registers(site, site.operand(0), true);
    if (lane < element_bytes(site)) return site.refuse();
    const auto memory = site.memory(source, site.space());
    const bool vector = site.out.count != 0;
    if (!memory.holds(std::uint64_t{element_bytes(site)} * std::max<unsigned>(site.out.count, 1)))
        return site.refuse("it goes beyond its variable");
    Handler handler = for_memory_type(site.type(), true, [&]<class T>() -> Handler {
        if (memory.kernel_parameter && memory.space == Space::param)
            return lane == 8 ? &run_load_parameter<T, Lane64> : &run_load_parameter<T, Lane32>;
        if (memory.in_frame)
            return lane == 8 ? &run_frame_access<T, Lane64, false> : &run_frame_access<T, Lane32, false>;
        return lane == 8 ? in_space<Loads, T, Lane64>(memory.space, memory.wide, vector)
                         : in_space<Loads, T, Lane32>(memory.space, memory.wide, vector);
    });
    site.run(handler);
    if (!is_strong(site) || !handler) return;
    if (memory.space == Space::global || memory.space == Space::none) site.order_matters();
    if (!site.written.guard.empty()) return;  // the guard needs `inner` itself
    site.out.inner = handler;
    site.run(run_strong);
}

void select_ldu(Site& site) {
    select_ld(site);
}

void select_st(Site& site) {
    if (site.has(Mod::async)) return select_store_async(site);
    if (site.operand(1).kind == ptx::Operand::Kind::vector && site.type() == b128) return site.refuse();
    const unsigned lane = value_registers(site, site.operand(1), false);
    if (lane < element_bytes(site)) return site.refuse();
    const auto memory = site.memory(site.operand(0), site.space());
    const bool vector = site.out.count != 0;
    if (memory.kernel_parameter || memory.space == Space::constant) return site.refuse();
    if (!memory.holds(std::uint64_t{element_bytes(site)} * std::max<unsigned>(site.out.count, 1)))
        return site.refuse("it goes beyond its variable");
    site.run(for_memory_type(site.type(), false, [&]<class T>() -> Handler {
        if (memory.in_frame) return lane == 8 ? &run_frame_access<T, Lane64, true> : &run_frame_access<T, Lane32, true>;
        return lane == 8 ? in_space<Stores, T, Lane64>(memory.space, memory.wide, vector)
                         : in_space<Stores, T, Lane32>(memory.space, memory.wide, vector);
    }));
    if (is_strong(site) && (memory.space == Space::global || memory.space == Space::none)) site.order_matters();
}

}  // namespace cudash::virtual_gpu
