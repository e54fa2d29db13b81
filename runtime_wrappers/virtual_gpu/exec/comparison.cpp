// setp, set, selp, slct, testp.
#include "runtime_wrappers/virtual_gpu/exec/select.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;

/// How a comparison's truth is combined with the predicate c: .and, .or, .xor, or not at all.
enum class Combine : std::uint16_t { none, and_, or_, xor_ };

Combine combination(const Site& site) {
    if (site.has(Mod::and_)) return Combine::and_;
    if (site.has(Mod::or_)) return Combine::or_;
    return site.has(Mod::xor_) ? Combine::xor_ : Combine::none;
}
std::uint32_t combined(const Instruction* i, Warp& w, std::uint32_t truth) {
    const auto how = static_cast<Combine>(i->option);
    if (how == Combine::none) return truth;
    const std::uint32_t other = predicate(w, i->c) ^ i->count * ~0u;
    if (how == Combine::and_) return truth & other;
    return how == Combine::or_ ? truth | other : truth ^ other;
}

template <class T, bool (*Function)(T, T)>
struct Compare {
    /// p = comparison; p|q: q = its opposite (PTX ISA, "setp": q = !t BoolOp c).
    static const Instruction* to_predicate(const Instruction* i, Warp& w) {
        set_predicate(w, i->d, compare_lanes<T, Function>(lanes<T>(w, i->a), lanes<T>(w, i->b)));
        return i + 1;
    }
    static const Instruction* to_predicates(const Instruction* i, Warp& w) {
        const std::uint32_t truth = compare_lanes<T, Function>(lanes<T>(w, i->a), lanes<T>(w, i->b));
        const std::uint32_t first = combined(i, w, truth), second = combined(i, w, ~truth);
        set_predicate(w, i->d, first);
        set_predicate(w, i->extra, second);
        return i + 1;
    }
    /// set: all ones or 1.0, at `immediate`.
    static const Instruction* to_value(const Instruction* i, Warp& w) {
        const std::uint32_t truth = combined(i, w, compare_lanes<T, Function>(lanes<T>(w, i->a), lanes<T>(w, i->b)));
        const auto yes = static_cast<std::uint32_t>(i->immediate);
        write_lanes<std::uint32_t>(w, lanes<std::uint32_t>(w, i->d),
                                   [&](unsigned l) { return truth >> l & 1 ? yes : 0u; });
        return i + 1;
    }
};

enum class Result { predicate, predicates, value };

template <class T, bool (*Function)(T, T)>
Chosen compare_handler(Result result) {
    using Form = Compare<T, Function>;
    const Handler run = result == Result::predicate    ? &Form::to_predicate
                        : result == Result::predicates ? &Form::to_predicates
                                                       : &Form::to_value;
    return {run, nullptr, &lane_operation<Function>};
}

template <class T>
Chosen for_comparison(const Site& site, Result result) {
    struct Row {
        Mod mod;
        Chosen (*handler)(Result);
    };
    // The unsigned names lo, ls, hi, hs mean the same on unsigned types.
    static constexpr Row ordered[] = {
        {Mod::eq, compare_handler<T, compare_eq<T>>}, {Mod::ne, compare_handler<T, compare_ne<T>>},
        {Mod::lt, compare_handler<T, compare_lt<T>>}, {Mod::le, compare_handler<T, compare_le<T>>},
        {Mod::gt, compare_handler<T, compare_gt<T>>}, {Mod::ge, compare_handler<T, compare_ge<T>>},
        {Mod::lo, compare_handler<T, compare_lt<T>>}, {Mod::ls, compare_handler<T, compare_le<T>>},
        {Mod::hi, compare_handler<T, compare_gt<T>>}, {Mod::hs, compare_handler<T, compare_ge<T>>},
    };
    for (const Row& row : ordered)
        if (site.has(row.mod)) return row.handler(result);
    if constexpr (std::is_floating_point_v<T>) {
        static constexpr Row unordered[] = {
            {Mod::equ, compare_handler<T, compare_equ<T>>}, {Mod::neu, compare_handler<T, compare_neu<T>>},
            {Mod::ltu, compare_handler<T, compare_ltu<T>>}, {Mod::leu, compare_handler<T, compare_leu<T>>},
            {Mod::gtu, compare_handler<T, compare_gtu<T>>}, {Mod::geu, compare_handler<T, compare_geu<T>>},
            {Mod::num, compare_handler<T, compare_num<T>>}, {Mod::nan, compare_handler<T, compare_nan<T>>},
        };
        for (const Row& row : unordered)
            if (site.has(row.mod)) return row.handler(result);
    }
    return nullptr;
}

// Halves and flushed floats are compared as the floats that they stand for.
template <Format F, bool Ftz, bool (*Function)(float, float)>
bool compare_half(std::uint16_t a, std::uint16_t b) {
    return Function(read_half<F, Ftz>(a), read_half<F, Ftz>(b));
}
template <bool (*Function)(float, float)>
bool compare_flushed(float a, float b) {
    return Function(flush<true>(a), flush<true>(b));
}

/// As for_comparison, for floats that pass through `Adapt` first.
template <class T, template <bool (*)(float, float)> class Adapt>
Chosen for_adapted(const Site& site, Result result) {
    struct Row {
        Mod mod;
        Chosen (*handler)(Result);
    };
    static constexpr Row rows[] = {
        {Mod::eq, compare_handler<T, Adapt<compare_eq<float>>::run>},
        {Mod::ne, compare_handler<T, Adapt<compare_ne<float>>::run>},
        {Mod::lt, compare_handler<T, Adapt<compare_lt<float>>::run>},
        {Mod::le, compare_handler<T, Adapt<compare_le<float>>::run>},
        {Mod::gt, compare_handler<T, Adapt<compare_gt<float>>::run>},
        {Mod::ge, compare_handler<T, Adapt<compare_ge<float>>::run>},
        {Mod::equ, compare_handler<T, Adapt<compare_equ<float>>::run>},
        {Mod::neu, compare_handler<T, Adapt<compare_neu<float>>::run>},
        {Mod::ltu, compare_handler<T, Adapt<compare_ltu<float>>::run>},
        {Mod::leu, compare_handler<T, Adapt<compare_leu<float>>::run>},
        {Mod::gtu, compare_handler<T, Adapt<compare_gtu<float>>::run>},
        {Mod::geu, compare_handler<T, Adapt<compare_geu<float>>::run>},
        {Mod::num, compare_handler<T, Adapt<compare_num<float>>::run>},
        {Mod::nan, compare_handler<T, Adapt<compare_nan<float>>::run>},
    };
    for (const Row& row : rows)
        if (site.has(row.mod)) return row.handler(result);
    return nullptr;
}
template <bool (*Function)(float, float)>
struct AsF16 {
    static bool run(std::uint16_t a, std::uint16_t b) { return compare_half<format_f16, false, Function>(a, b); }
};
template <bool (*Function)(float, float)>
struct AsF16Flushed {
    static bool run(std::uint16_t a, std::uint16_t b) { return compare_half<format_f16, true, Function>(a, b); }
};
template <bool (*Function)(float, float)>
struct AsBf16 {
    static bool run(std::uint16_t a, std::uint16_t b) { return compare_half<format_bf16, false, Function>(a, b); }
};
template <bool (*Function)(float, float)>
struct Flushed {
    static bool run(float a, float b) { return compare_flushed<Function>(a, b); }
};

Chosen compare_as(const Site& site, ptx::Type type, Result result) {
    if (type == f16)
        return site.has(Mod::ftz) ? for_adapted<std::uint16_t, AsF16Flushed>(site, result)
                                  : for_adapted<std::uint16_t, AsF16>(site, result);
    if (type == bf16) return for_adapted<std::uint16_t, AsBf16>(site, result);
    if (type == f32 && site.has(Mod::ftz)) return for_adapted<float, Flushed>(site, result);
    return for_type<b16, b32, b64, u16, u32, u64, s16, s32, s64, f32, f64>(
        type, [&]<class T>() { return for_comparison<T>(site, result); });
}

/// Both halves of f16x2 or bf16x2: setp gives p for the lower and q for the upper, set a half of the result for each.
template <class Adapted>
struct PairCompare {
    static std::uint32_t truth(const Lane32* a, const Lane32* b, unsigned shift) {
        std::uint32_t bits = 0;
        for (unsigned l = 0; l < warp_size; ++l)
            bits |= std::uint32_t{Adapted::run(static_cast<std::uint16_t>(a[l] >> shift),
                                               static_cast<std::uint16_t>(b[l] >> shift))}
                    << l;
        return bits;
    }
    static const Instruction* to_predicates(const Instruction* i, Warp& w) {
        auto *a = lanes<std::uint32_t>(w, i->a), *b = lanes<std::uint32_t>(w, i->b);
        const std::uint32_t low = combined(i, w, truth(a, b, 0)), high = combined(i, w, truth(a, b, 16));
        set_predicate(w, i->d, low);
        set_predicate(w, i->extra, high);
        return i + 1;
    }
    static const Instruction* to_value(const Instruction* i, Warp& w) {
        auto *a = lanes<std::uint32_t>(w, i->a), *b = lanes<std::uint32_t>(w, i->b);
        const std::uint32_t low = combined(i, w, truth(a, b, 0)), high = combined(i, w, truth(a, b, 16));
        const auto yes = static_cast<std::uint32_t>(i->immediate);
        write_lanes<std::uint32_t>(w, lanes<std::uint32_t>(w, i->d), [&](unsigned l) {
            return (low >> l & 1 ? yes : 0u) | (high >> l & 1 ? yes << 16 : 0u);
        });
        return i + 1;
    }
};

template <template <bool (*)(float, float)> class Adapt>
Chosen compare_pair(const Site& site, bool value) {
    struct Row {
        Mod mod;
        Chosen predicates, value;
    };
#define CUDASH_PAIR_ROW(name)                                                 \
    {                                                                         \
        Mod::name, &PairCompare<Adapt<compare_##name<float>>>::to_predicates, \
            &PairCompare<Adapt<compare_##name<float>>>::to_value              \
    }
    static constexpr Row rows[] = {
        CUDASH_PAIR_ROW(eq),  CUDASH_PAIR_ROW(ne),  CUDASH_PAIR_ROW(lt),  CUDASH_PAIR_ROW(le),  CUDASH_PAIR_ROW(gt),
        CUDASH_PAIR_ROW(ge),  CUDASH_PAIR_ROW(equ), CUDASH_PAIR_ROW(neu), CUDASH_PAIR_ROW(ltu), CUDASH_PAIR_ROW(leu),
        CUDASH_PAIR_ROW(gtu), CUDASH_PAIR_ROW(geu), CUDASH_PAIR_ROW(num), CUDASH_PAIR_ROW(nan)};
#undef CUDASH_PAIR_ROW
    for (const Row& row : rows)
        if (site.has(row.mod)) return value ? row.value : row.predicates;
    return nullptr;
}
Chosen compare_pairs(const Site& site, ptx::Type type, bool value) {
    if (type == bf16x2) return compare_pair<AsBf16>(site, value);
    return site.has(Mod::ftz) ? compare_pair<AsF16Flushed>(site, value) : compare_pair<AsF16>(site, value);
}

void sources_and_combination(Site& site, ptx::Type type) {
    site.out.a = site.source(site.operand(1), type);
    site.out.b = site.source(site.operand(2), type);
    site.out.option = static_cast<std::uint16_t>(combination(site));
    if (combination(site) == Combine::none || site.operands() < 4) return;
    site.out.c = site.predicate(site.operand(3));
    site.out.count = site.operand(3).negated;
}

template <class T>
const Instruction* run_selp(const Instruction* i, Warp& w) {
    const std::uint32_t chosen = predicate(w, i->c);
    auto *a = lanes<T>(w, i->a), *b = lanes<T>(w, i->b);
    write_lanes<T>(w, lanes<T>(w, i->d), [&](unsigned l) { return chosen >> l & 1 ? a[l] : b[l]; });
    return i + 1;
}

/// slct: a if c >= 0 else b.
template <class T, class C, bool Ftz>
const Instruction* run_slct(const Instruction* i, Warp& w) {
    auto *a = lanes<T>(w, i->a), *b = lanes<T>(w, i->b);
    auto* c = lanes<C>(w, i->c);
    write_lanes<T>(w, lanes<T>(w, i->d), [&](unsigned l) {
        C condition = from_lane<C>(c[l]);
        if constexpr (Ftz) condition = flush<true>(condition);
        return condition >= C{} ? a[l] : b[l];
    });
    return i + 1;
}

template <class T, bool (*Function)(T)>
const Instruction* run_testp(const Instruction* i, Warp& w) {
    auto* a = lanes<T>(w, i->a);
    std::uint32_t truth = 0;
    for (unsigned l = 0; l < warp_size; ++l) truth |= std::uint32_t{Function(from_lane<T>(a[l]))} << l;
    set_predicate(w, i->d, truth);
    return i + 1;
}

}  // namespace

void select_setp(Site& site) {
    const ptx::Type type = site.type();
    sources_and_combination(site, type);
    const ptx::Operand& target = site.operand(0);
    const bool pair = target.kind == ptx::Operand::Kind::predicate_pair && target.elements.size() == 2;
    site.out.d = site.predicate_destination(pair ? target.elements[0] : target);
    site.out.extra = site.predicate_destination_or_scratch(pair ? &target.elements[1] : nullptr);
    if (type == f16x2 || type == bf16x2) return site.run(compare_pairs(site, type, false));
    const bool plain = !pair && combination(site) == Combine::none;
    site.run(compare_as(site, type, plain ? Result::predicate : Result::predicates));
}

void select_set(Site& site) {
    const ptx::Type to = site.type(0), from = site.type(1);
    site.out.d = site.destination(site.operand(0), 4);
    sources_and_combination(site, from);
    // "1.0 is used for .f32 results, all ones for .u32 and .s32" (PTX ISA, "set"); halves likewise.
    if (to == f32) {
        site.out.immediate = 0x3F800000;
    } else if (to == f16 || to == f16x2) {
        site.out.immediate = 0x3C00;
    } else if (to == bf16 || to == bf16x2) {
        site.out.immediate = 0x3F80;
    } else if (to == u16 || to == s16 || from == f16x2 || from == bf16x2) {
        site.out.immediate = 0xFFFF;
    } else {
        site.out.immediate = 0xFFFFFFFF;
    }
    if (type_bytes(to) > 4) return site.refuse();
    if (from == f16x2 || from == bf16x2) return site.run(compare_pairs(site, from, true));
    site.run(compare_as(site, from, Result::value));
}

void select_selp(Site& site) {
    const ptx::Type type = site.type();
    site.out.d = site.destination(site.operand(0), type_bytes(type) > 4 ? 8 : 4);
    site.out.a = site.source(site.operand(1), type);
    site.out.b = site.source(site.operand(2), type);
    site.out.c = site.predicate(site.operand(3));
    site.run(type_bytes(type) > 4 ? &run_selp<std::uint64_t> : &run_selp<std::uint32_t>);
}

void select_slct(Site& site) {
    const ptx::Type type = site.type(0), condition = site.type(1);
    const bool wide = type_bytes(type) > 4;
    site.out.d = site.destination(site.operand(0), wide ? 8 : 4);
    site.out.a = site.source(site.operand(1), type);
    site.out.b = site.source(site.operand(2), type);
    site.out.c = site.source(site.operand(3), condition);
    if (condition == s32)
        return site.run(wide ? &run_slct<std::uint64_t, std::int32_t, false>
                             : &run_slct<std::uint32_t, std::int32_t, false>);
    if (condition != f32) return site.refuse();
    if (site.has(Mod::ftz))
        return site.run(wide ? &run_slct<std::uint64_t, float, true> : &run_slct<std::uint32_t, float, true>);
    site.run(wide ? &run_slct<std::uint64_t, float, false> : &run_slct<std::uint32_t, float, false>);
}

void select_testp(Site& site) {
    site.out.d = site.predicate_destination(site.operand(0));
    site.out.a = site.source(site.operand(1), site.type());
    site.run(for_type<f32, f64>(site.type(), [&]<class T>() -> Chosen {
        if (site.has(Mod::finite)) return &run_testp<T, test_finite<T>>;
        if (site.has(Mod::infinite)) return &run_testp<T, test_infinite<T>>;
        if (site.has(Mod::number)) return &run_testp<T, test_number<T>>;
        if (site.has(Mod::notanumber)) return &run_testp<T, test_notanumber<T>>;
        if (site.has(Mod::normal)) return &run_testp<T, test_normal<T>>;
        return site.has(Mod::subnormal) ? &run_testp<T, test_subnormal<T>> : nullptr;
    }));
}

}  // namespace cudash::virtual_gpu
