// atom and red. Lanes act one after the other, lowest first: floating-point sums come out the same in every run.
#include <atomic>

#include "runtime_wrappers/virtual_gpu/exec/atomic_update.h"
#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using namespace updates;
using enum ptx::Type;
using ptx::Space;

/// `Shared`: where a generic address leads to shared memory.
template <Space S, class AddressLane, class T, T (*Function)(T, T), T (*Shared)(T, T)>
const Instruction* run_atomic(const Instruction* i, Warp& w) {
    Access access;
    Layout layouts[2];
    const auto size = static_cast<std::uint32_t>(sizeof(T) * (i->count ? i->count : 1));
    if (!resolve<S, AddressLane>(i, w, access, {S, AccessKind::atomic, size}, layouts)) return nullptr;
    w.polled = true;
    // Scalars: d and b. Vectors: lists of d, then of b.
    const std::uint32_t* list = i->count ? &w.frame->code->operands[i->extra] : nullptr;
    for (unsigned e = 0; e < (i->count ? i->count : 1u); ++e) {
        const Lane<T>* b = lanes<T>(w, list ? list[i->count + e] : i->b);
        Lane<T>* d = i->option ? lanes<T>(w, list ? list[e] : i->d) : nullptr;
        for_each_lane(w.mask, [&](unsigned l) {
            std::byte* const memory = access.at(l) + e * sizeof(T);
            const bool shared = S == Space::none && Function != Shared && in_window(access.address[l], shared_window);
            // A block and its cluster run on one host thread.
            const T old = shared ? update<T, Shared, true>(memory, from_lane<T>(b[l]), w.wrote)
                                 : update<T, Function, S == Space::shared>(memory, from_lane<T>(b[l]), w.wrote);
            if (d) d[l] = to_lane<T>(old);
        });
    }
    return i + 1;
}

template <Space S, class AddressLane, class T>
const Instruction* run_cas(const Instruction* i, Warp& w) {
    Access access;
    Layout layouts[2];
    if (!resolve<S, AddressLane>(i, w, access, {S, AccessKind::atomic, sizeof(T)}, layouts)) return nullptr;
    w.polled = true;
    const auto *expected = lanes<T>(w, i->b), *wanted = lanes<T>(w, i->c);
    Lane<T>* d = i->option ? lanes<T>(w, i->d) : nullptr;
    for_each_lane(w.mask, [&](unsigned l) {
        std::atomic_ref<T> cell(*reinterpret_cast<T*>(access.at(l)));
        T old = static_cast<T>(expected[l]);
        const T made = static_cast<T>(wanted[l]);
        if (cell.compare_exchange_strong(old, made)) w.wrote |= made != old;
        if (d) d[l] = old;
    });
    return i + 1;
}

/// Chooses the space and the width of addresses.
template <template <Space, class> class Handlers>
Handler in_space(const Site::MemoryOperand& memory) {
    if (memory.space == Space::shared)
        return memory.wide ? Handlers<Space::shared, Lane64>::run : Handlers<Space::shared, Lane32>::run;
    if (memory.space == Space::global) return memory.wide ? Handlers<Space::global, Lane64>::run : nullptr;
    return memory.space == Space::none && memory.wide ? Handlers<Space::none, Lane64>::run : nullptr;
}
template <class T, T (*Function)(T, T), T (*Shared)(T, T)>
struct Update {
    template <Space S, class A>
    struct In {
        static constexpr Handler run = &run_atomic < S, A, T, S == Space::shared ? Shared : Function, Shared > ;
    };
};
template <class T>
struct CompareAndSwap {
    template <Space S, class A>
    struct In {
        static constexpr Handler run = &run_cas<S, A, T>;
    };
};
template <class T, T (*Function)(T, T), T (*Shared)(T, T) = Function>
Handler updating(const Site::MemoryOperand& memory) {
    return in_space<Update<T, Function, Shared>::template In>(memory);
}

Handler choose_halves(const Site& site, const Site::MemoryOperand& memory) {
    const bool add = site.has(Mod::add), min = site.has(Mod::min), max = site.has(Mod::max);
    using Half = std::uint16_t;
    using Pair = std::uint32_t;
    auto pick = [&](Handler on_add, Handler on_min, Handler on_max) {
        return add ? on_add : min ? on_min : max ? on_max : nullptr;
    };
    constexpr Format h = format_f16, b = format_bf16;
    if (site.type() == f16)
        return pick(updating<Half, add_16<h>>(memory), updating<Half, min_16<h>>(memory),
                    updating<Half, max_16<h>>(memory));
    if (site.type() == bf16)
        return pick(updating<Half, add_16<b>>(memory), updating<Half, min_16<b>>(memory),
                    updating<Half, max_16<b>>(memory));
    if (site.type() == f16x2)
        return pick(updating<Pair, both_halves<h, add_16<h>>>(memory),
                    updating<Pair, both_halves<h, min_16<h>>>(memory),
                    updating<Pair, both_halves<h, max_16<h>>>(memory));
    return pick(updating<Pair, both_halves<b, add_16<b>>>(memory), updating<Pair, both_halves<b, min_16<b>>>(memory),
                updating<Pair, both_halves<b, max_16<b>>>(memory));
}

/// exch and cas of 128 bits. Whoever uses them runs in a fixed order (order_shows), so no two host threads meet here.
template <bool Compare>
struct Wide {
    template <Space S, class AddressLane>
    struct In {
        static const Instruction* run(const Instruction* i, Warp& w) {
            Access access;
            Layout layouts[2];
            constexpr std::uint32_t half = 8 * warp_size;
            if (!resolve<S, AddressLane>(i, w, access, {S, AccessKind::atomic, 16}, layouts)) return nullptr;
            w.polled = true;
            auto word = [&](std::uint32_t offset, unsigned part) {
                return lanes<std::uint64_t>(w, offset + part * half);
            };
            for_each_lane(w.mask, [&](unsigned l) {
                std::uint64_t old[2], made[2];
                std::memcpy(old, access.at(l), sizeof old);
                for (unsigned part = 0; part < 2; ++part) made[part] = word(Compare ? i->c : i->b, part)[l];
                const bool equal = !Compare || (old[0] == word(i->b, 0)[l] && old[1] == word(i->b, 1)[l]);
                if (equal) {
                    w.wrote |= std::memcmp(old, made, sizeof old) != 0;
                    std::memcpy(access.at(l), made, sizeof made);
                }
                if (i->option)
                    for (unsigned part = 0; part < 2; ++part) word(i->d, part)[l] = old[part];
            });
            return i + 1;
        }
    };
};

Chosen choose(const Site& site, const Site::MemoryOperand& memory) {
    const ptx::Type type = site.type();
    if (is_half(type)) return choose_halves(site, memory);
    if (type == b128 && site.has(Mod::cas)) return in_space<Wide<true>::template In>(memory);
    if (type == b128) return site.has(Mod::exch) ? in_space<Wide<false>::template In>(memory) : nullptr;
    if (type == f32) return site.has(Mod::add) ? updating<float, add_single_in_cache, add_single>(memory) : nullptr;
    if (type == f64 && !site.has(Mod::add)) return nullptr;
    if (type == f64) return updating<double, add_double_in_cache, add_double>(memory);
    if (site.has(Mod::inc)) return type == u32 ? updating<std::uint32_t, wrap_up>(memory) : nullptr;
    if (site.has(Mod::dec)) return type == u32 ? updating<std::uint32_t, wrap_down>(memory) : nullptr;
    if (site.has(Mod::cas))
        return for_type<b16, b32, b64, u32, u64>(
            type, [&]<class T>() { return in_space<CompareAndSwap<T>::template In>(memory); });
    return for_type<b32, b64, u32, u64, s32, s64>(type, [&]<class T>() -> Handler {
        if (site.has(Mod::add)) return updating<T, semantics::add<T>>(memory);
        if (site.has(Mod::min)) return updating<T, semantics::min<T>>(memory);
        if (site.has(Mod::max)) return updating<T, semantics::max<T>>(memory);
        if (site.has(Mod::exch)) return updating<T, take_new<T>>(memory);
        if (site.has(Mod::and_)) return updating<T, semantics::bits_and<T>>(memory);
        if (site.has(Mod::or_)) return updating<T, semantics::bits_or<T>>(memory);
        return site.has(Mod::xor_) ? updating<T, semantics::bits_xor<T>>(memory) : nullptr;
    });
}

/// Whether the order of blocks can show: in the value returned, in the rounding of sums, in what stays after exch.
bool order_shows(const Site& site, bool result_used) {
    return result_used || is_float(site.type()) || site.has(Mod::exch) || site.has(Mod::cas) || site.has(Mod::inc) ||
           site.has(Mod::dec) || site.has(Mod::acquire) || site.has(Mod::release) || site.has(Mod::acq_rel) ||
           site.has(Mod::sc);
}

void select_atomic(Site& site, const ptx::Operand* result, const ptx::Operand& address, const ptx::Operand& value,
                   const ptx::Operand* second) {
    const ptx::Type type = site.type();
    const unsigned bytes = std::max(type_bytes(type), 4u);
    const bool used = result && result->kind != ptx::Operand::Kind::sink && site.is_read(*result);
    site.out.option = result != nullptr;
    if (value.kind == ptx::Operand::Kind::vector) {
        if (!site.fits_vector(value.elements.size())) return;
        std::vector<std::uint32_t> offsets;
        ptx::Operand nowhere;
        nowhere.kind = ptx::Operand::Kind::sink;
        for (std::size_t e = 0; e < value.elements.size(); ++e)
            offsets.push_back(result && result->kind == ptx::Operand::Kind::vector && e < result->elements.size()
                                  ? site.destination(result->elements[e], bytes)
                                  : site.destination(nowhere, bytes));
        for (const ptx::Operand& element : value.elements) offsets.push_back(site.source(element, type));
        site.out.count = static_cast<std::uint16_t>(value.elements.size());
        site.out.extra = site.list(offsets);
    } else {
        if (result) site.out.d = site.destination(*result, bytes);
        site.out.b = site.source(value, type);
        if (site.has(Mod::cas)) {
            if (!second) return site.refuse();
            site.out.c = site.source(*second, type);
        }
    }
    const auto memory = site.memory(address, site.space());
    if (memory.space != Space::shared && order_shows(site, used)) site.order_matters();
    site.run(choose(site, memory));
}

}  // namespace

void select_atom(Site& site) {
    select_atomic(site, &site.operand(0), site.operand(1), site.operand(2),
                  site.operands() > 3 ? &site.operand(3) : nullptr);
}
void select_red(Site& site) {
    select_atomic(site, nullptr, site.operand(0), site.operand(1), nullptr);
}

}  // namespace cudash::virtual_gpu
