// rcp, sqrt, rsqrt, ex2, lg2, sin, cos, tanh.
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/isa/approx.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;

template <auto Function>
std::uint32_t on_pair(std::uint32_t word) {
    return each_half<std::uint16_t>([](std::uint16_t half) { return Function(half); }, word);
}

void select_single(Site& site, Handler plain, Handler flushed) {
    operands_of_type(site, site.type());
    site.run(site.has(Mod::ftz) ? flushed : plain);
}

}  // namespace

void select_rcp(Site& site) {
    operands_of_type(site, site.type());
    if (site.type() == f64) {
        if (site.has(Mod::approx)) return site.run(map<rcp_approx_f64>);
        return site.run(
            for_rounding(site, [](auto r) { return map_if<&rcp_f64<r.value>, r.value == Rounding::rn>(); }));
    }
    site.run(for_flag(site.has(Mod::ftz), [&](auto ftz) -> Handler {
        if (site.has(Mod::approx)) return map<rcp_approx_f32<ftz.value>>;
        return for_rounding(site,
                            [&](auto r) { return map_if<&rcp_f32<r.value, ftz.value>, r.value == Rounding::rn>(); });
    }));
}

void select_sqrt(Site& site) {
    operands_of_type(site, site.type());
    if (site.type() == f64)
        return site.run(
            for_rounding(site, [](auto r) { return map_if<&sqrt_f64<r.value>, r.value == Rounding::rn>(); }));
    site.run(for_flag(site.has(Mod::ftz), [&](auto ftz) -> Handler {
        if (site.has(Mod::approx)) return map<sqrt_approx_f32<ftz.value>>;
        return for_rounding(site,
                            [&](auto r) { return map_if<&sqrt_f32<r.value, ftz.value>, r.value == Rounding::rn>(); });
    }));
}

void select_rsqrt(Site& site) {
    operands_of_type(site, site.type());
    if (site.type() == f64) return site.run(site.has(Mod::ftz) ? map<rsqrt_approx_ftz_f64> : map<rsqrt_approx_f64>);
    site.run(site.has(Mod::ftz) ? map<rsqrt_approx_f32<true>> : map<rsqrt_approx_f32<false>>);
}

void select_ex2(Site& site) {
    operands_of_type(site, site.type());
    if (site.type() == f16) return site.run(map<ex2_approx_half<format_f16, false>>);
    if (site.type() == f16x2) return site.run(map<on_pair<&ex2_approx_half<format_f16, false>>>);
    if (site.type() == bf16) return site.run(map<ex2_approx_half<format_bf16, true>>);
    if (site.type() == bf16x2) return site.run(map<on_pair<&ex2_approx_half<format_bf16, true>>>);
    site.run(site.has(Mod::ftz) ? map<ex2_approx_f32<true>> : map<ex2_approx_f32<false>>);
}

void select_lg2(Site& site) {
    select_single(site, map<lg2_approx_f32<false>>, map<lg2_approx_f32<true>>);
}
void select_sin(Site& site) {
    select_single(site, map<sin_approx_f32<false>>, map<sin_approx_f32<true>>);
}
void select_cos(Site& site) {
    select_single(site, map<cos_approx_f32<false>>, map<cos_approx_f32<true>>);
}

void select_tanh(Site& site) {
    operands_of_type(site, site.type());
    if (site.type() == f16) return site.run(map<tanh_approx_half<format_f16>>);
    if (site.type() == f16x2) return site.run(map<on_pair<&tanh_approx_half<format_f16>>>);
    if (site.type() == bf16) return site.run(map<tanh_approx_half<format_bf16>>);
    if (site.type() == bf16x2) return site.run(map<on_pair<&tanh_approx_half<format_bf16>>>);
    site.run(map<tanh_approx_f32>);
}

}  // namespace cudash::virtual_gpu
