// Logic, shifts, bit fields, byte permutation, dot products of bytes.
#include "runtime_wrappers/virtual_gpu/exec/select.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;

using MaskFunction = std::uint32_t (*)(std::uint32_t, std::uint32_t);
template <MaskFunction Function>
const Instruction* on_predicates(const Instruction* i, Warp& w) {
    const std::uint32_t flip_a = i->option & 1 ? ~0u : 0, flip_b = i->option & 2 ? ~0u : 0;
    set_predicate(w, i->d, Function(predicate(w, i->a) ^ flip_a, predicate(w, i->b) ^ flip_b));
    return i + 1;
}
const Instruction* run_not_predicate(const Instruction* i, Warp& w) {
    set_predicate(w, i->d, ~predicate(w, i->a));
    return i + 1;
}

void select_logic(Site& site, Chosen on_masks, Chosen on_16, Chosen on_32, Chosen on_64) {
    if (site.type() == pred) {
        site.out.d = site.predicate_destination(site.operand(0));
        site.out.a = site.predicate(site.operand(1));
        if (site.operands() > 2) site.out.b = site.predicate(site.operand(2));
        site.out.option = static_cast<std::uint16_t>(site.operand(1).negated);
        if (site.operands() > 2 && site.operand(2).negated) site.out.option |= 2;
        return site.run(on_masks);
    }
    operands_of_type(site, site.type());
    site.run(site.type() == b16 ? on_16 : site.type() == b32 ? on_32 : on_64);
}

/// d, a of the instruction's type, then u32 operands.
void operands_with_counts(Site& site) {
    site.out.d = site.destination(site.operand(0), type_bytes(site.type()) > 4 ? 8 : 4);
    site.out.a = site.source(site.operand(1), site.type());
    std::uint32_t* counts[] = {&site.out.b, &site.out.c};
    for (std::size_t i = 2; i < site.operands(); ++i) *counts[i - 2] = site.source(site.operand(i), u32);
}

/// d is 32 bits wide whatever the source.
void operands_to_u32(Site& site) {
    site.out.d = site.destination(site.operand(0), 4);
    site.out.a = site.source(site.operand(1), site.type());
}

/// lop3 with its table as a compile-time constant where it is a common one.
const Instruction* run_lop3(const Instruction* i, Warp& w) {
    auto *a = lanes<std::uint32_t>(w, i->a), *b = lanes<std::uint32_t>(w, i->b), *c = lanes<std::uint32_t>(w, i->c);
    const auto table = static_cast<std::uint32_t>(i->immediate);
    write_lanes<std::uint32_t>(w, lanes<std::uint32_t>(w, i->d),
                               [&](unsigned l) { return lop3(a[l], b[l], c[l], table); });
    return i + 1;
}

/// lop3.and, lop3.or: p = (d != 0) BoolOp q.
const Instruction* run_lop3_and_predicate(const Instruction* i, Warp& w) {
    auto *a = lanes<std::uint32_t>(w, i->a), *b = lanes<std::uint32_t>(w, i->b), *c = lanes<std::uint32_t>(w, i->c);
    auto* d = lanes<std::uint32_t>(w, i->d);
    const std::uint32_t q = predicate(w, i->cache) ^ (i->count ? ~0u : 0);
    std::uint32_t nonzero = 0;
    for_each_lane(w.mask, [&](unsigned l) {
        d[l] = lop3(a[l], b[l], c[l], static_cast<std::uint32_t>(i->immediate));
        nonzero |= std::uint32_t{d[l] != 0} << l;
    });
    set_predicate(w, i->extra, i->option ? nonzero | q : nonzero & q);
    return i + 1;
}

template <std::uint32_t (*Function)(std::uint32_t, std::uint32_t, std::uint32_t)>
Chosen ternary() {
    return map<Function>;
}

template <PermuteMode Mode>
std::uint32_t permute(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
    return prmt(Mode, a, b, selector);
}

/// vabsdiff4: the magnitudes of the bytes' differences, each in its byte; with .add their sum and c.
template <class Byte, bool Sum>
std::uint32_t byte_differences(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t bytes = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
        const std::int32_t difference = part<Byte>(a, i) - part<Byte>(b, i);
        const auto magnitude = static_cast<std::uint32_t>(difference < 0 ? -difference : difference);
        if constexpr (Sum) c += magnitude;
        bytes |= (magnitude & 0xFF) << 8 * i;
    }
    return Sum ? c : bytes;
}

template <bool High>
Chosen dp2a_handler(ptx::Type a, ptx::Type b) {
    if (a == s32)
        return b == s32 ? ternary<dp2a<std::int8_t, std::int8_t, High>>()
                        : ternary<dp2a<std::int8_t, std::uint8_t, High>>();
    return b == s32 ? ternary<dp2a<std::uint8_t, std::int8_t, High>>()
                    : ternary<dp2a<std::uint8_t, std::uint8_t, High>>();
}

}  // namespace

void select_and_(Site& site) {
    select_logic(site, &on_predicates<bits_and<std::uint32_t>>, map<bits_and<std::uint16_t>>,
                 map<bits_and<std::uint32_t>>, map<bits_and<std::uint64_t>>);
}
void select_or_(Site& site) {
    select_logic(site, &on_predicates<bits_or<std::uint32_t>>, map<bits_or<std::uint16_t>>, map<bits_or<std::uint32_t>>,
                 map<bits_or<std::uint64_t>>);
}
void select_xor_(Site& site) {
    select_logic(site, &on_predicates<bits_xor<std::uint32_t>>, map<bits_xor<std::uint16_t>>,
                 map<bits_xor<std::uint32_t>>, map<bits_xor<std::uint64_t>>);
}
void select_not_(Site& site) {
    select_logic(site, &run_not_predicate, map<bits_not<std::uint16_t>>, map<bits_not<std::uint32_t>>,
                 map<bits_not<std::uint64_t>>);
}
void select_cnot(Site& site) {
    operands_of_type(site, site.type());
    site.run(for_bits(site.type(), []<class T>() { return map<cnot<T>>; }));
}

void select_shl(Site& site) {
    operands_with_counts(site);
    site.run(for_bits(site.type(), []<class T>() { return map<shl<T>>; }));
}
void select_shr(Site& site) {
    operands_with_counts(site);
    site.run(for_type<b16, b32, b64, u16, u32, u64, s16, s32, s64>(site.type(), []<class T>() { return map<shr<T>>; }));
}
void select_shf(Site& site) {
    operands_of_type(site, b32);
    if (site.has(Mod::l)) return site.run(site.has(Mod::wrap) ? map<shf_l_wrap> : map<shf_l_clamp>);
    site.run(site.has(Mod::wrap) ? map<shf_r_wrap> : map<shf_r_clamp>);
}

void select_lop3(Site& site) {
    const bool combines = site.has(Mod::and_) || site.has(Mod::or_);
    if (site.operands() != (combines ? 6u : 5u) || site.operand(4).kind != ptx::Operand::Kind::integer)
        return site.refuse();
    const ptx::Operand& target = site.operand(0);
    if (combines && (target.kind != ptx::Operand::Kind::predicate_pair || target.elements.size() != 2))
        return site.refuse("d|p is expected");
    site.out.d = site.destination(combines ? target.elements[0] : target, 4);
    if (combines) {
        site.out.extra = site.predicate_destination(target.elements[1]);
        site.out.cache = site.predicate(site.operand(5));
        site.out.count = site.operand(5).negated;
        site.out.option = site.has(Mod::or_);
    }
    site.out.a = site.source(site.operand(1), b32);
    site.out.b = site.source(site.operand(2), b32);
    site.out.c = site.source(site.operand(3), b32);
    site.out.immediate = site.operand(4).integer & 0xFF;
    site.run(combines ? run_lop3_and_predicate : run_lop3);
}

void select_prmt(Site& site) {
    operands_of_type(site, b32);
    struct Row {
        Mod mod;
        Chosen handler;
    };
    static constexpr Row rows[] = {
        {Mod::f4e, map<permute<PermuteMode::f4e>>}, {Mod::b4e, map<permute<PermuteMode::b4e>>},
        {Mod::rc8, map<permute<PermuteMode::rc8>>}, {Mod::ecl, map<permute<PermuteMode::ecl>>},
        {Mod::ecr, map<permute<PermuteMode::ecr>>}, {Mod::rc16, map<permute<PermuteMode::rc16>>},
    };
    for (const Row& row : rows)
        if (site.has(row.mod)) return site.run(row.handler);
    site.run(ternary<prmt>());
}

void select_popc(Site& site) {
    operands_to_u32(site);
    site.run(for_bits(site.type(), []<class T>() { return map<popc<T>>; }));
}
void select_clz(Site& site) {
    operands_to_u32(site);
    site.run(for_bits(site.type(), []<class T>() { return map<clz<T>>; }));
}
void select_bfind(Site& site) {
    operands_to_u32(site);
    if (site.has(Mod::shiftamt))
        return site.run(for_type<u32, u64, s32, s64>(site.type(), []<class T>() { return map<bfind_shiftamt<T>>; }));
    site.run(for_type<u32, u64, s32, s64>(site.type(), []<class T>() { return map<bfind<T>>; }));
}
void select_brev(Site& site) {
    operands_of_type(site, site.type());
    site.run(for_type<b32, b64>(site.type(), []<class T>() { return map<brev<T>>; }));
}
void select_bfe(Site& site) {
    operands_with_counts(site);
    site.run(for_type<u32, u64, s32, s64>(site.type(), []<class T>() { return map<bfe<T>>; }));
}
void select_bfi(Site& site) {
    site.out.d = site.destination(site.operand(0), type_bytes(site.type()));
    site.out.a = site.source(site.operand(1), site.type());
    site.out.b = site.source(site.operand(2), site.type());
    site.out.c = site.source(site.operand(3), u32);
    site.out.extra = site.source(site.operand(4), u32);
    site.run(for_type<b32, b64>(site.type(), []<class T>() { return map<bfi<T>>; }));
}
void select_bmsk(Site& site) {
    operands_of_type(site, b32);
    site.run(site.has(Mod::wrap) ? map<bmsk_wrap> : map<bmsk_clamp>);
}
void select_szext(Site& site) {
    operands_of_type(site, site.type());
    if (site.has(Mod::wrap))
        return site.run(site.type() == s32 ? map<szext_wrap<std::int32_t>> : map<szext_wrap<std::uint32_t>>);
    site.run(site.type() == s32 ? map<szext_clamp<std::int32_t>> : map<szext_clamp<std::uint32_t>>);
}
void select_fns(Site& site) {
    operands_of_type(site, b32);
    site.run(map<fns>);
}
void select_dp4a(Site& site) {
    operands_of_type(site, b32);
    const bool first = site.type(0) == s32, second = site.type(1) == s32;
    if (first)
        return site.run(second ? ternary<dp4a<std::int8_t, std::int8_t>>()
                               : ternary<dp4a<std::int8_t, std::uint8_t>>());
    site.run(second ? ternary<dp4a<std::uint8_t, std::int8_t>>() : ternary<dp4a<std::uint8_t, std::uint8_t>>());
}
void select_vabsdiff4(Site& site) {
    const bool plain = site.operand(0).selector.empty() && site.operand(1).selector.empty() &&
                       site.operand(2).selector.empty() && site.type(1) == site.type(2) && !site.has(Mod::sat);
    if (!plain) return select_any_vabsdiff4(site);
    operands_of_type(site, b32);
    if (site.type(1) == s32)
        return site.run(site.has(Mod::add) ? ternary<byte_differences<std::int8_t, true>>()
                                           : ternary<byte_differences<std::int8_t, false>>());
    site.run(site.has(Mod::add) ? ternary<byte_differences<std::uint8_t, true>>()
                                : ternary<byte_differences<std::uint8_t, false>>());
}
void select_dp2a(Site& site) {
    operands_of_type(site, b32);
    site.run(site.has(Mod::hi) ? dp2a_handler<true>(site.type(0), site.type(1))
                               : dp2a_handler<false>(site.type(0), site.type(1)));
}

}  // namespace cudash::virtual_gpu
