// add, min and max of two 16-bit integers in a register, and min and max with .relu (PTX ISA 9.7.1).
#include "runtime_wrappers/virtual_gpu/exec/float_selectors.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;

/// Function on the 16-bit halves of two words.
template <class Half, Half (*Function)(Half, Half)>
std::uint32_t on_halves(std::uint32_t a, std::uint32_t b) {
    using Bits = std::uint16_t;
    const auto low = static_cast<Bits>(Function(static_cast<Half>(a), static_cast<Half>(b)));
    const auto high = static_cast<Bits>(Function(static_cast<Half>(a >> 16), static_cast<Half>(b >> 16)));
    return low | std::uint32_t{high} << 16;
}
template <class T>
T min_relu(T a, T b) {
    return relu<T>(semantics::min<T>(a, b));
}
template <class T>
T max_relu(T a, T b) {
    return relu<T>(semantics::max<T>(a, b));
}

using Signed = std::int16_t;
using Unsigned = std::uint16_t;

}  // namespace

bool is_packed_integer(ptx::Type type) {
    return type == u16x2 || type == s16x2;
}

void select_packed_add(Site& site) {
    operands_of_type(site, b32);
    site.run(map<on_halves<Unsigned, semantics::add<Unsigned>>>);
}

void select_packed_min(Site& site) {
    operands_of_type(site, b32);
    const bool is_signed = site.type() == s16x2;
    if (site.has(Mod::relu)) return site.run(is_signed ? map<on_halves<Signed, min_relu<Signed>>> : nullptr);
    site.run(is_signed ? map<on_halves<Signed, semantics::min<Signed>>>
                       : map<on_halves<Unsigned, semantics::min<Unsigned>>>);
}

void select_packed_max(Site& site) {
    operands_of_type(site, b32);
    const bool is_signed = site.type() == s16x2;
    if (site.has(Mod::relu)) return site.run(is_signed ? map<on_halves<Signed, max_relu<Signed>>> : nullptr);
    site.run(is_signed ? map<on_halves<Signed, semantics::max<Signed>>>
                       : map<on_halves<Unsigned, semantics::max<Unsigned>>>);
}

void select_relu_min(Site& site) {
    operands_of_type(site, s32);
    site.run(site.type() == s32 ? map<min_relu<std::int32_t>> : nullptr);
}
void select_relu_max(Site& site) {
    operands_of_type(site, s32);
    site.run(site.type() == s32 ? map<max_relu<std::int32_t>> : nullptr);
}

}  // namespace cudash::virtual_gpu
