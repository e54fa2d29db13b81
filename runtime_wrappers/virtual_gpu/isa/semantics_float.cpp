#include "runtime_wrappers/virtual_gpu/isa/semantics_float.h"

#include <cfenv>

namespace cudash::virtual_gpu::semantics {
namespace {

/// The host's rounding mode while it lives.
class RoundingScope {
public:
    explicit RoundingScope(Rounding rounding) : before_(std::fegetround()) {
        std::fesetround(rounding == Rounding::rz ? FE_TOWARDZERO
                                                 : (rounding == Rounding::rm ? FE_DOWNWARD : FE_UPWARD));
    }
    ~RoundingScope() { std::fesetround(before_); }
    RoundingScope(const RoundingScope&) = delete;
    RoundingScope& operator=(const RoundingScope&) = delete;

private:
    int before_;
};

/// The operands and the result pass through memory that the compiler must not look through, so that the arithmetic
/// stays between the changes of the mode.
template <class Operation, class... Operands>
double compute(Rounding rounding, Operation operation, Operands... operands) {
    volatile double result = 0;
    const RoundingScope scope(rounding);
    result = operation(static_cast<const volatile double&>(operands)...);
    return result;
}

}  // namespace

double add_f64_directed(Rounding rounding, double a, double b) {
    return compute(
        rounding, [](double x, double y) { return x + y; }, a, b);
}
double mul_f64_directed(Rounding rounding, double a, double b) {
    return compute(
        rounding, [](double x, double y) { return x * y; }, a, b);
}
double fma_f64_directed(Rounding rounding, double a, double b, double c) {
    return compute(
        rounding, [](double x, double y, double z) { return std::fma(x, y, z); }, a, b, c);
}
double div_f64_directed(Rounding rounding, double a, double b) {
    return compute(
        rounding, [](double x, double y) { return x / y; }, a, b);
}
double sqrt_f64_directed(Rounding rounding, double a) {
    return compute(
        rounding, [](double x) { return std::sqrt(x); }, a);
}

}  // namespace cudash::virtual_gpu::semantics
