#include "runtime_wrappers/virtual_gpu/exec/float_selectors.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;
using Half = std::uint16_t;

/// The same function on both halves of a word.
template <auto Function, class... Words>
std::uint32_t on_pair(Words... words) {
    return each_half<Half>([](auto... halves) { return Function(halves...); }, words...);
}
/// `Common`: worth a vector loop.
template <auto Function, bool Pair, std::size_t Arguments, bool Common>
constexpr Chosen half_handler() {
    using Word = std::uint32_t;
    if constexpr (!Pair) {
        return map_if<Function, Common>();
    } else if constexpr (Arguments == 1) {
        return map_if<&on_pair<Function, Word>, Common>();
    } else if constexpr (Arguments == 2) {
        return map_if<&on_pair<Function, Word, Word>, Common>();
    } else {
        return map_if<&on_pair<Function, Word, Word, Word>, Common>();
    }
}

template <class Pick>
Chosen for_clamp(const Site& site, Pick pick) {
    if (site.has(Mod::sat)) return pick(std::integral_constant<Clamp, Clamp::sat>{});
    if (site.has(Mod::relu)) return pick(std::integral_constant<Clamp, Clamp::relu>{});
    return pick(std::integral_constant<Clamp, Clamp::none>{});
}

template <class Pick>
void select_clamped(Site& site, Pick pick) {
    operands_of_type(site, site.type());
    site.run(for_half(site.type(), [&](auto format, auto pair) {
        return for_flag(site.has(Mod::ftz), [&](auto ftz) {
            return for_clamp(site, [&](auto clamp) { return pick(format, pair, ftz, clamp); });
        });
    }));
}

template <class Pick>
void select_minimum(Site& site, Pick pick) {
    operands_of_type(site, site.type());
    site.run(for_half(site.type(), [&](auto format, auto pair) {
        return for_flag(site.has(Mod::ftz), [&](auto ftz) {
            return for_flag(site.has(Mod::nan_result), [&](auto nan) {
                return for_flag(site.has(Mod::xorsign), [&](auto sign) { return pick(format, pair, ftz, nan, sign); });
            });
        });
    }));
}

template <class Pick>
void select_sign(Site& site, Pick pick) {
    operands_of_type(site, site.type());
    site.run(for_half(site.type(), [&](auto format, auto pair) {
        return for_flag(site.has(Mod::ftz), [&](auto ftz) { return pick(format, pair, ftz); });
    }));
}

}  // namespace

void select_half_add(Site& site) {
    select_clamped(site, [](auto format, auto pair, auto ftz, auto clamp) {
        return half_handler < &add_half<format.value, ftz.value, clamp.value>, pair.value, 2,
               !ftz.value && clamp.value == Clamp::none > ();
    });
}
void select_half_sub(Site& site) {
    select_clamped(site, [](auto format, auto pair, auto ftz, auto clamp) {
        return half_handler < &sub_half<format.value, ftz.value, clamp.value>, pair.value, 2,
               !ftz.value && clamp.value == Clamp::none > ();
    });
}
void select_half_mul(Site& site) {
    select_clamped(site, [](auto format, auto pair, auto ftz, auto clamp) {
        return half_handler < &mul_half<format.value, ftz.value, clamp.value>, pair.value, 2,
               !ftz.value && clamp.value == Clamp::none > ();
    });
}
void select_half_fma(Site& site) {
    if (site.has(Mod::oob)) {
        if (site.has(Mod::ftz) || site.has(Mod::sat)) return site.refuse();
        return select_clamped(site, [](auto format, auto pair, auto, auto clamp) {
            return half_handler<&fma_half_oob<format.value, clamp.value>, pair.value, 3, false>();
        });
    }
    select_clamped(site, [](auto format, auto pair, auto ftz, auto clamp) {
        return half_handler < &fma_half<format.value, ftz.value, clamp.value>, pair.value, 3,
               !ftz.value && clamp.value == Clamp::none > ();
    });
}
void select_half_min(Site& site) {
    select_minimum(site, [](auto format, auto pair, auto ftz, auto nan, auto sign) {
        return half_handler<&min_half<format.value, ftz.value, nan.value, sign.value>, pair.value, 2, false>();
    });
}
void select_half_max(Site& site) {
    select_minimum(site, [](auto format, auto pair, auto ftz, auto nan, auto sign) {
        return half_handler<&max_half<format.value, ftz.value, nan.value, sign.value>, pair.value, 2, false>();
    });
}
void select_half_abs(Site& site) {
    select_sign(site, [](auto format, auto pair, auto ftz) {
        return half_handler<&abs_half<format.value, ftz.value>, pair.value, 1, !ftz.value>();
    });
}
void select_half_neg(Site& site) {
    select_sign(site, [](auto format, auto pair, auto ftz) {
        return half_handler<&neg_half<format.value, ftz.value>, pair.value, 1, !ftz.value>();
    });
}

}  // namespace cudash::virtual_gpu
