#include "runtime_wrappers/virtual_gpu/exec/float_selectors.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/exec/table_lookup.h"
#include "runtime_wrappers/virtual_gpu/isa/approx.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;

/// pick(rounding, ftz, sat) for f32.
template <class Pick>
Chosen for_f32(const Site& site, Pick pick) {
    return for_rounding(site, [&](auto rounding) {
        return for_flag(site.has(Mod::ftz), [&](auto ftz) {
            return for_flag(site.has(Mod::sat), [&](auto sat) { return pick(rounding, ftz, sat); });
        });
    });
}
/// pick(rounding, ftz) for instructions without .sat.
template <class Pick>
Chosen for_f32_unsaturated(const Site& site, Pick pick) {
    return for_rounding(site, [&](auto rounding) {
        return for_flag(site.has(Mod::ftz), [&](auto ftz) { return pick(rounding, ftz); });
    });
}

}  // namespace

void select_float_add(Site& site) {
    if (is_half(site.type())) return select_half_add(site);
    operands_of_type(site, site.type());
    if (site.type() == f64)
        return site.run(
            for_rounding(site, [](auto r) { return map_if<&add_f64<r.value>, r.value == Rounding::rn>(); }));
    site.run(for_f32(site, [](auto r, auto ftz, auto sat) {
        return map_if<&add_f32<r.value, ftz.value, sat.value>, r.value == Rounding::rn>();
    }));
}

void select_float_sub(Site& site) {
    if (is_half(site.type())) return select_half_sub(site);
    operands_of_type(site, site.type());
    if (site.type() == f64)
        return site.run(
            for_rounding(site, [](auto r) { return map_if<&sub_f64<r.value>, r.value == Rounding::rn>(); }));
    site.run(for_f32(site, [](auto r, auto ftz, auto sat) {
        return map_if<&sub_f32<r.value, ftz.value, sat.value>, r.value == Rounding::rn>();
    }));
}

void select_float_mul(Site& site) {
    if (is_half(site.type())) return select_half_mul(site);
    operands_of_type(site, site.type());
    if (site.type() == f64)
        return site.run(
            for_rounding(site, [](auto r) { return map_if<&mul_f64<r.value>, r.value == Rounding::rn>(); }));
    site.run(for_f32(site, [](auto r, auto ftz, auto sat) {
        return map_if<&mul_f32<r.value, ftz.value, sat.value>, r.value == Rounding::rn>();
    }));
}

void select_fma(Site& site) {
    const bool has_sign = site.operand(1).negated || site.operand(3).negated;
    if (site.written.contracted && has_sign) return select_contracted(site);
    if (is_half(site.type())) return select_half_fma(site);
    operands_of_type(site, site.type());
    if (site.type() == f64)
        return site.run(
            for_rounding(site, [](auto r) { return map_if<&fma_f64<r.value>, r.value == Rounding::rn>(); }));
    site.run(for_f32(site, [](auto r, auto ftz, auto sat) {
        return map_if<&fma_f32<r.value, ftz.value, sat.value>, r.value == Rounding::rn>();
    }));
}

void select_float_div(Site& site) {
    if (site.written.contracted) return select_contracted_quotient(site);
    operands_of_type(site, site.type());
    if (site.type() == f64)
        return site.run(
            for_rounding(site, [](auto r) { return map_if<&div_f64<r.value>, r.value == Rounding::rn>(); }));
    site.run(for_f32_unsaturated(site, [&](auto r, auto ftz) {
        if (site.has(Mod::approx)) return map_lookup<DivApprox<ftz.value>>;
        return site.has(Mod::full) ? map_lookup<DivFull<ftz.value>>
                                   : map_if<&div_f32<r.value, ftz.value>, r.value == Rounding::rn>();
    }));
}

void select_float_abs(Site& site) {
    if (is_half(site.type())) return select_half_abs(site);
    operands_of_type(site, site.type());
    if (site.type() == f64) return site.run(map<abs_f64>);
    site.run(for_flag(site.has(Mod::ftz), [](auto ftz) { return map<abs_f32<ftz.value>>; }));
}

void select_float_neg(Site& site) {
    if (is_half(site.type())) return select_half_neg(site);
    operands_of_type(site, site.type());
    if (site.type() == f64) return site.run(map<neg_f64>);
    site.run(for_flag(site.has(Mod::ftz), [](auto ftz) { return map<neg_f32<ftz.value>>; }));
}

void select_float_min(Site& site) {
    if (is_half(site.type())) return select_half_min(site);
    operands_of_type(site, site.type());
    if (site.type() == f64) return site.run(map<min_f64>);
    site.run(for_flag(site.has(Mod::ftz), [&](auto ftz) {
        return for_flag(site.has(Mod::nan_result), [&](auto nan) {
            return for_flag(site.has(Mod::xorsign), [&](auto sign) {
                return map_if < &min_f32<ftz.value, nan.value, sign.value>, !nan.value && !sign.value > ();
            });
        });
    }));
}

void select_float_max(Site& site) {
    if (is_half(site.type())) return select_half_max(site);
    operands_of_type(site, site.type());
    if (site.type() == f64) return site.run(map<max_f64>);
    site.run(for_flag(site.has(Mod::ftz), [&](auto ftz) {
        return for_flag(site.has(Mod::nan_result), [&](auto nan) {
            return for_flag(site.has(Mod::xorsign), [&](auto sign) {
                return map_if < &max_f32<ftz.value, nan.value, sign.value>, !nan.value && !sign.value > ();
            });
        });
    }));
}

void select_copysign(Site& site) {
    operands_of_type(site, site.type());
    site.run(site.type() == f64 ? map<copysign_f64> : map<copysign_f32>);
}

}  // namespace cudash::virtual_gpu
