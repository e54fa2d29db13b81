// The fma that isa/contraction.h makes of products and sums: rounded to nearest, its product or its addend negated. The
// same of quotients, div.approx and div.full.
#include "runtime_wrappers/virtual_gpu/exec/float_selectors.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/exec/table_lookup.h"
#include "runtime_wrappers/virtual_gpu/isa/approx.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using Half = std::uint16_t;

template <Format F, bool Product, bool Addend>
Half contracted_half(Half a, Half b, Half c) {
    return fma_half<F>(with_sign<Product>(a), b, with_sign<Addend>(c));
}
template <Format F, bool Product, bool Addend>
std::uint32_t contracted_pair(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return each_half<Half>([](auto... halves) { return contracted_half<F, Product, Addend>(halves...); }, a, b, c);
}

/// A quotient's last multiplication is fused.
template <class Division, bool Ftz, bool Product, bool Addend>
struct QuotientAndSum {
    static constexpr const auto& rows = Division::rows;
    static std::int32_t segment(float a, float b, float) { return Division::segment(a, b); }
    static float value(float a, float b, float c, Segment found) {
        const auto [dividend, reciprocal] = Division::factors(a, b, found);
        return fma_f32<Rounding::rn, Ftz>(with_sign<Product>(dividend), reciprocal, with_sign<Addend>(c));
    }
};

void place_operands(Site& site) {
    const auto source = [&](std::size_t i) {
        ptx::Operand plain = site.operand(i);
        plain.negated = false;
        return site.source(plain, site.type());
    };
    site.out.d = site.destination(site.operand(0), site.type() == ptx::Type::f64 ? 8 : 4);
    site.out.a = source(1);
    site.out.b = source(2);
    site.out.c = source(3);
}

}  // namespace

void select_contracted_quotient(Site& site) {
    place_operands(site);
    site.run(for_flag(site.operand(1).negated, [&](auto product) {
        return for_flag(site.operand(3).negated, [&](auto addend) {
            return for_flag(site.has(Mod::ftz), [&](auto ftz) -> Chosen {
                constexpr bool f = ftz.value, p = product.value, a = addend.value;
                if (site.has(Mod::full)) return map_lookup<QuotientAndSum<DivFull<f>, f, p, a>>;
                return map_lookup<QuotientAndSum<DivApprox<f>, f, p, a>>;
            });
        });
    }));
}

void select_contracted(Site& site) {
    const bool negate_product = site.operand(1).negated, negate_addend = site.operand(3).negated;
    place_operands(site);
    site.run(for_flag(negate_product, [&](auto product) -> Chosen {
        return for_flag(negate_addend, [&](auto addend) -> Chosen {
            if (is_half(site.type()))
                return for_half(site.type(), [&](auto format, auto pair) -> Chosen {
                    if constexpr (pair.value)
                        return map_if<&contracted_pair<format.value, product.value, addend.value>, true>();
                    else
                        return map_if<&contracted_half<format.value, product.value, addend.value>, true>();
                });
            if (site.type() == ptx::Type::f64) return map_if<&contracted_f64<product.value, addend.value>, true>();
            return for_flag(site.has(Mod::ftz), [&](auto ftz) {
                return for_flag(site.has(Mod::sat), [&](auto sat) {
                    return map_if<&contracted_f32<ftz.value, sat.value, product.value, addend.value>, true>();
                });
            });
        });
    }));
}

}  // namespace cudash::virtual_gpu
