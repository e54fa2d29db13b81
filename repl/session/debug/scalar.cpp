#include "repl/session/debug/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cudash::session::debug {
namespace {

std::int64_t cut(std::int64_t value, bool is_signed, unsigned bytes) {
    if (bytes >= 8) return value;
    const unsigned unused = 64 - 8 * bytes;
    const auto shifted = static_cast<std::uint64_t>(value) << unused;
    return is_signed ? static_cast<std::int64_t>(shifted) >> unused : static_cast<std::int64_t>(shifted >> unused);
}

/// What is smaller than an int becomes one.
Scalar promoted(const Scalar& value) {
    if (value.is_real() || value.bytes >= 4) return value;
    return converted(value, Scalar::Kind::signed_integer, 4);
}

struct Common {
    Scalar::Kind kind;
    unsigned bytes;
};
Common common_type(const Scalar& a, const Scalar& b) {
    if (a.kind == Scalar::Kind::real || b.kind == Scalar::Kind::real) return {Scalar::Kind::real, 8};
    if (a.is_real() || b.is_real()) return {Scalar::Kind::single, 4};
    const unsigned bytes = std::max(a.bytes, b.bytes);
    const auto is_unsigned = [&](const Scalar& each) {
        return each.kind == Scalar::Kind::unsigned_integer && each.bytes == bytes;
    };
    return {is_unsigned(a) || is_unsigned(b) ? Scalar::Kind::unsigned_integer : Scalar::Kind::signed_integer, bytes};
}

template <class T>
std::optional<bool> compare(std::string_view sign, T a, T b) {
    if (sign == "==") return a == b;
    if (sign == "!=") return a != b;
    if (sign == "<") return a < b;
    if (sign == ">") return a > b;
    if (sign == "<=") return a <= b;
    if (sign == ">=") return a >= b;
    return std::nullopt;
}

std::optional<double> compute_real(std::string_view sign, double a, double b) {
    if (sign == "+") return a + b;
    if (sign == "-") return a - b;
    if (sign == "*") return a * b;
    if (sign == "/") return a / b;
    return std::nullopt;
}

std::optional<std::int64_t> compute_integer(std::string_view sign, std::int64_t a, std::int64_t b, bool is_signed) {
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    if (sign == "+") return static_cast<std::int64_t>(x + y);
    if (sign == "-") return static_cast<std::int64_t>(x - y);
    if (sign == "*") return static_cast<std::int64_t>(x * y);
    if (sign == "&") return a & b;
    if (sign == "|") return a | b;
    if (sign == "^") return a ^ b;
    if ((sign != "/" && sign != "%") || b == 0) return std::nullopt;
    if (!is_signed) return static_cast<std::int64_t>(sign == "/" ? x / y : x % y);
    if (b == -1) return sign == "/" ? static_cast<std::int64_t>(0 - x) : 0;
    return sign == "/" ? a / b : a % b;
}

}  // namespace

double Scalar::as_double() const {
    if (is_real()) return real;
    return kind == Kind::unsigned_integer ? static_cast<double>(static_cast<std::uint64_t>(integer))
                                          : static_cast<double>(integer);
}

Scalar converted(const Scalar& value, Scalar::Kind kind, unsigned bytes) {
    Scalar made{kind, bytes, 0, 0};
    if (kind == Scalar::Kind::boolean) {
        made.integer = value.truth();
    } else if (kind == Scalar::Kind::single) {
        made.real = static_cast<float>(value.as_double());
    } else if (kind == Scalar::Kind::real) {
        made.real = value.as_double();
    } else {
        std::int64_t integer = value.integer;
        if (value.is_real()) {
            constexpr double least = -0x1p63, most = 0x1p63;
            integer = std::isnan(value.real) ? 0
                      : value.real >= most   ? INT64_MAX
                      : value.real <= least  ? INT64_MIN
                                             : static_cast<std::int64_t>(value.real);
        }
        made.integer = cut(integer, kind == Scalar::Kind::signed_integer, bytes);
    }
    return made;
}

std::optional<Scalar> compute(std::string_view sign, const Scalar& left, const Scalar& right) {
    if (sign == "&&") return Scalar::of_bool(left.truth() && right.truth());
    if (sign == "||") return Scalar::of_bool(left.truth() || right.truth());
    const Scalar a = promoted(left), b = promoted(right);
    if (sign == "<<" || sign == ">>") {
        if (a.is_real() || b.is_real() || b.integer < 0 || b.integer >= 8 * static_cast<std::int64_t>(a.bytes))
            return std::nullopt;
        const bool is_signed = a.kind == Scalar::Kind::signed_integer;
        const auto bits = static_cast<std::uint64_t>(a.integer);
        const std::int64_t shifted = sign == "<<" ? static_cast<std::int64_t>(bits << b.integer)
                                     : is_signed  ? a.integer >> b.integer
                                                  : static_cast<std::int64_t>(bits >> b.integer);
        return Scalar{a.kind, a.bytes, cut(shifted, is_signed, a.bytes), 0};
    }
    const Common common = common_type(a, b);
    const Scalar x = converted(a, common.kind, common.bytes), y = converted(b, common.kind, common.bytes);
    if (x.is_real()) {
        if (const auto truth = compare(sign, x.real, y.real)) return Scalar::of_bool(*truth);
        const auto value = compute_real(sign, x.real, y.real);
        if (!value) return std::nullopt;
        return converted(Scalar::of_real(*value, false), common.kind, common.bytes);
    }
    const bool is_signed = common.kind == Scalar::Kind::signed_integer;
    const auto truth =
        is_signed ? compare(sign, x.integer, y.integer)
                  : compare(sign, static_cast<std::uint64_t>(x.integer), static_cast<std::uint64_t>(y.integer));
    if (truth) return Scalar::of_bool(*truth);
    const auto value = compute_integer(sign, x.integer, y.integer, is_signed);
    if (!value) return std::nullopt;
    return Scalar{common.kind, common.bytes, cut(*value, is_signed, common.bytes), 0};
}

std::optional<Scalar> compute(std::string_view sign, const Scalar& operand) {
    if (sign == "!") return Scalar::of_bool(!operand.truth());
    const Scalar a = promoted(operand);
    if (sign == "+") return a;
    if (sign == "-") return a.is_real() ? Scalar{a.kind, a.bytes, 0, -a.real} : compute("-", Scalar::of_int(0), a);
    if (sign == "~" && !a.is_real()) return compute("^", a, Scalar::of_int(-1));
    return std::nullopt;
}

std::string text_of(const Scalar& value) {
    switch (value.kind) {
        case Scalar::Kind::boolean:
            return value.integer ? "true" : "false";
        case Scalar::Kind::single:
            return fmt::format("{}", static_cast<float>(value.real));
        case Scalar::Kind::real:
            return fmt::format("{}", value.real);
        case Scalar::Kind::unsigned_integer:
            return fmt::format("{}", static_cast<std::uint64_t>(value.integer));
        case Scalar::Kind::signed_integer:
            break;
    }
    return fmt::format("{}", value.integer);
}

std::string_view type_name(const Scalar& value) {
    switch (value.kind) {
        case Scalar::Kind::boolean:
            return "bool";
        case Scalar::Kind::single:
            return "float";
        case Scalar::Kind::real:
            return "double";
        case Scalar::Kind::unsigned_integer:
            return value.bytes == 8 ? "unsigned long" : "unsigned int";
        case Scalar::Kind::signed_integer:
            break;
    }
    return value.bytes == 8 ? "long" : "int";
}

}  // namespace cudash::session::debug
