// rcp, sqrt, rsqrt, ex2, lg2, sin, cos, tanh.
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/exec/table_lookup.h"
#include "runtime_wrappers/virtual_gpu/isa/approx.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;

template <class Function>
std::uint32_t on_pair(std::uint32_t word) {
    return each_half<std::uint16_t>([](std::uint16_t half) { return evaluate<Function>(half); }, word);
}

void select_single(Site& site, Chosen plain, Chosen flushed) {
    operands_of_type(site, site.type());
    site.run(site.has(Mod::ftz) ? flushed : plain);
}

/// A function's forms for .f16, .bf16 and pairs of them; false for other types.
template <class Mufu, bool FtzBf16>
bool select_half(Site& site) {
    operands_of_type(site, site.type());
    using F16 = OfHalf<Mufu, format_f16>;
    using Bf16 = OfHalf<Mufu, format_bf16, FtzBf16>;
    if (site.type() == f16) return site.run(map_lookup<F16>), true;
    if (site.type() == f16x2) return site.run(map<on_pair<F16>>), true;
    if (site.type() == bf16) return site.run(map_lookup<Bf16>), true;
    if (site.type() == bf16x2) return site.run(map<on_pair<Bf16>>), true;
    return false;
}

}  // namespace

void select_rcp(Site& site) {
    operands_of_type(site, site.type());
    if (site.type() == f64) {
        if (site.has(Mod::approx)) return site.run(map_lookup<MufuRcp64h>);
        return site.run(
            for_rounding(site, [](auto r) { return map_if<&rcp_f64<r.value>, r.value == Rounding::rn>(); }));
    }
    site.run(for_flag(site.has(Mod::ftz), [&](auto ftz) -> Chosen {
        if (site.has(Mod::approx)) return map_lookup<RcpApprox<ftz.value>>;
        return for_rounding(site,
                            [&](auto r) { return map_if<&rcp_f32<r.value, ftz.value>, r.value == Rounding::rn>(); });
    }));
}

void select_sqrt(Site& site) {
    operands_of_type(site, site.type());
    if (site.type() == f64)
        return site.run(
            for_rounding(site, [](auto r) { return map_if<&sqrt_f64<r.value>, r.value == Rounding::rn>(); }));
    site.run(for_flag(site.has(Mod::ftz), [&](auto ftz) -> Chosen {
        if (site.has(Mod::approx)) return map_lookup<SqrtApprox<ftz.value>>;
        return for_rounding(site,
                            [&](auto r) { return map_if<&sqrt_f32<r.value, ftz.value>, r.value == Rounding::rn>(); });
    }));
}

void select_rsqrt(Site& site) {
    operands_of_type(site, site.type());
    if (site.type() == f64) return site.run(site.has(Mod::ftz) ? map_lookup<MufuRsqrt64h> : map_lookup<RsqrtApproxF64>);
    select_single(site, map_lookup<RsqrtApprox<false>>, map_lookup<RsqrtApprox<true>>);
}

void select_ex2(Site& site) {
    if (!select_half<MufuEx2, true>(site))
        select_single(site, map_lookup<Ex2Approx<false>>, map_lookup<Ex2Approx<true>>);
}

void select_lg2(Site& site) {
    select_single(site, map_lookup<Lg2Approx<false>>, map_lookup<Lg2Approx<true>>);
}
void select_sin(Site& site) {
    select_single(site, map_lookup<SinApprox>, map_lookup<SinApprox>);
}
void select_cos(Site& site) {
    select_single(site, map_lookup<CosApprox>, map_lookup<CosApprox>);
}

void select_tanh(Site& site) {
    if (!select_half<MufuTanh, false>(site)) select_single(site, map_lookup<TanhApprox>, map_lookup<TanhApprox>);
}

}  // namespace cudash::virtual_gpu
