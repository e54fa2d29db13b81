#include "repl/session/debug/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <type_traits>

namespace cudash::session::debug {
namespace {

std::int64_t cut(std::int64_t value, bool is_signed, unsigned bytes) {
    if (bytes >= 8) return value;
    const unsigned unused = 64 - 8 * bytes;
    const auto shifted = static_cast<std::uint64_t>(value) << unused;
    return is_signed ? static_cast<std::int64_t>(shifted) >> unused : static_cast<std::int64_t>(shifted >> unused);
}

/// What is smaller than an int becomes one.
NumberType promoted(NumberType type) {
    return type.is_real() || type.bytes >= 4 ? type : NumberType{Scalar::Kind::signed_integer, 4};
}

NumberType common_type(NumberType a, NumberType b) {
    using Kind = Scalar::Kind;
    if (a.kind == Kind::real || b.kind == Kind::real) return {Kind::real, 8};
    if (a.is_real() || b.is_real()) return {Kind::single, 4};
    const unsigned bytes = std::max(a.bytes, b.bytes);
    const auto is_unsigned = [&](NumberType each) {
        return each.kind == Kind::unsigned_integer && each.bytes == bytes;
    };
    return {is_unsigned(a) || is_unsigned(b) ? Kind::unsigned_integer : Kind::signed_integer, bytes};
}

/// One row for each sign.
namespace sign_table {

using Apply = decltype(Operator::apply);

/// Integers as the result's type has them, and floats no more exact than they are.
void round_to(NumberBits* numbers, unsigned count, NumberType result) {
    if (result.kind == Scalar::Kind::single)
        for (unsigned i = 0; i < count; ++i) numbers[i].real = static_cast<float>(numbers[i].real);
    if (!result.is_real() && result.kind != Scalar::Kind::boolean && result.bytes < 8)
        for (unsigned i = 0; i < count; ++i)
            numbers[i].integer = cut(numbers[i].integer, result.kind == Scalar::Kind::signed_integer, result.bytes);
}

/// `compute` is given pairs of integers, and says whether there is a result.
template <class T, auto compute>
std::uint32_t apply(const NumberBits* left, const NumberBits* right, NumberBits* to, unsigned count,
                    NumberType result) {
    std::uint32_t failed = 0;
    for (unsigned i = 0; i < count; ++i) {
        T made = 0;
        if (!compute(static_cast<T>(left[i].integer), static_cast<T>(right[i].integer), made, result.bytes))
            failed |= 1u << i;
        to[i].integer = static_cast<std::int64_t>(made);
    }
    round_to(to, count, result);
    return failed;
}

/// What has a result for all pairs: without a branch, many at once. Integers wrap around.
template <class T, class Function>
std::uint32_t apply_to_all(const NumberBits* left, const NumberBits* right, NumberBits* to, unsigned count,
                           NumberType result) {
    constexpr bool is_truth = std::is_same_v<decltype(Function{}(T{}, T{})), bool>;
    for (unsigned i = 0; i < count; ++i) {
        if constexpr (std::is_same_v<T, double> && is_truth)
            to[i].integer = Function{}(left[i].real, right[i].real);
        else if constexpr (std::is_same_v<T, double>)
            to[i].real = Function{}(left[i].real, right[i].real);
        else if constexpr (is_truth)
            to[i].integer = Function{}(static_cast<T>(left[i].integer), static_cast<T>(right[i].integer));
        else
            to[i].integer = static_cast<std::int64_t>(
                Function{}(static_cast<std::uint64_t>(left[i].integer), static_cast<std::uint64_t>(right[i].integer)));
    }
    if (!is_truth) round_to(to, count, result);
    return 0;
}

template <class T>
bool divide(T a, T b, T& made, unsigned) {
    if (b == 0) return false;
    if constexpr (std::is_signed_v<T>) {
        if (b == -1) {
            made = static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
            return true;
        }
    }
    made = a / b;
    return true;
}

template <class T>
bool remainder(T a, T b, T& made, unsigned) {
    if (b == 0) return false;
    made = std::is_signed_v<T> && b == static_cast<T>(-1) ? 0 : a % b;
    return true;
}

template <class T>
bool shift_left(T a, T b, T& made, unsigned bytes) {
    if (b < 0 || b >= static_cast<T>(8 * bytes)) return false;
    made = static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << b);
    return true;
}

template <class T>
bool shift_right(T a, T b, T& made, unsigned bytes) {
    if (b < 0 || b >= static_cast<T>(8 * bytes)) return false;
    made = a >> b;
    return true;
}

enum class Yields : std::uint8_t { common, truth, left };
struct OperatorRow {
    std::string_view sign;
    Yields yields;
    Apply of_signed, of_unsigned, of_real;
};

using S = std::int64_t;
using U = std::uint64_t;
template <class Function, Yields yields, bool real = true>
constexpr OperatorRow total(std::string_view sign) {
    OperatorRow row{sign, yields, apply_to_all<S, Function>, apply_to_all<U, Function>, nullptr};
    if constexpr (real) row.of_real = apply_to_all<double, Function>;
    return row;
}

constexpr OperatorRow operators[] = {
    total<std::plus<>, Yields::common>("+"),
    total<std::minus<>, Yields::common>("-"),
    total<std::multiplies<>, Yields::common>("*"),
    {"/", Yields::common, apply<S, divide<S>>, apply<U, divide<U>>, apply_to_all<double, std::divides<>>},
    {"%", Yields::common, apply<S, remainder<S>>, apply<U, remainder<U>>, nullptr},
    total<std::bit_and<>, Yields::common, false>("&"),
    total<std::bit_or<>, Yields::common, false>("|"),
    total<std::bit_xor<>, Yields::common, false>("^"),
    {"<<", Yields::left, apply<S, shift_left<S>>, apply<U, shift_left<U>>, nullptr},
    {">>", Yields::left, apply<S, shift_right<S>>, apply<U, shift_right<U>>, nullptr},
    total<std::equal_to<>, Yields::truth>("=="),
    total<std::not_equal_to<>, Yields::truth>("!="),
    total<std::less<>, Yields::truth>("<"),
    total<std::greater<>, Yields::truth>(">"),
    total<std::less_equal<>, Yields::truth>("<="),
    total<std::greater_equal<>, Yields::truth>(">="),
};

}  // namespace sign_table

Scalar scalar_of(NumberType type, NumberBits bits) {
    return type.is_real() ? Scalar{type.kind, type.bytes, 0, bits.real}
                          : Scalar{type.kind, type.bytes, bits.integer, 0};
}

}  // namespace

double Scalar::as_double() const {
    if (is_real()) return real;
    return kind == Kind::unsigned_integer ? static_cast<double>(static_cast<std::uint64_t>(integer))
                                          : static_cast<double>(integer);
}

NumberBits bits_of(const Scalar& value) {
    NumberBits bits{};
    if (value.is_real())
        bits.real = value.real;
    else
        bits.integer = value.integer;
    return bits;
}

NumberBits number_of(NumberType type, std::uint64_t raw) {
    NumberBits made{};
    if (type.kind == Scalar::Kind::single)
        made.real = std::bit_cast<float>(static_cast<std::uint32_t>(raw));
    else if (type.kind == Scalar::Kind::real)
        made.real = std::bit_cast<double>(raw);
    else if (type.kind == Scalar::Kind::boolean)
        made.integer = raw != 0;
    else
        made.integer = cut(static_cast<std::int64_t>(raw), type.kind == Scalar::Kind::signed_integer, type.bytes);
    return made;
}

void read_numbers(NumberType type, const std::byte* from, unsigned stride, NumberBits* to, unsigned count) {
    const auto each_as = [&]<class T>(T) {
        for (unsigned i = 0; i < count; ++i) {
            T value;
            std::memcpy(&value, from + std::size_t{i} * stride, sizeof value);
            if constexpr (std::is_floating_point_v<T>)
                to[i].real = value;
            else
                to[i].integer = static_cast<std::int64_t>(value);
        }
    };
    using Kind = Scalar::Kind;
    if (type == NumberType{Kind::signed_integer, 4}) return each_as(std::int32_t{});
    if (type == NumberType{Kind::unsigned_integer, 4}) return each_as(std::uint32_t{});
    if (type == NumberType{Kind::single, 4}) return each_as(float{});
    if (type == NumberType{Kind::real, 8}) return each_as(double{});
    for (unsigned i = 0; i < count; ++i) {
        std::uint64_t raw = 0;
        std::memcpy(&raw, from + std::size_t{i} * stride, std::min<std::size_t>(type.bytes, sizeof raw));
        to[i] = number_of(type, raw);
    }
}

void convert(NumberBits* numbers, unsigned count, NumberType from, NumberType to) {
    if (from == to) return;
    const auto each = [&](auto&& change) {
        for (unsigned i = 0; i < count; ++i) change(numbers[i]);
    };
    if (to.kind == Scalar::Kind::boolean) {
        if (from.is_real())
            each([](NumberBits& one) { one.integer = one.real != 0; });
        else
            each([](NumberBits& one) { one.integer = one.integer != 0; });
        return;
    }
    if (to.is_real()) {
        if (from.kind == Scalar::Kind::unsigned_integer)
            each([](NumberBits& one) { one.real = static_cast<double>(static_cast<std::uint64_t>(one.integer)); });
        else if (!from.is_real())
            each([](NumberBits& one) { one.real = static_cast<double>(one.integer); });
        if (to.kind == Scalar::Kind::single) each([](NumberBits& one) { one.real = static_cast<float>(one.real); });
        return;
    }
    if (from.is_real())
        each([](NumberBits& one) {
            constexpr double least = -0x1p63, most = 0x1p63;
            one.integer = std::isnan(one.real) ? 0
                          : one.real >= most   ? INT64_MAX
                          : one.real <= least  ? INT64_MIN
                                               : static_cast<std::int64_t>(one.real);
        });
    if (to.bytes < 8)
        each([&](NumberBits& one) {
            one.integer = cut(one.integer, to.kind == Scalar::Kind::signed_integer, to.bytes);
        });
}

std::optional<Operator> find_operator(std::string_view sign, NumberType left, NumberType right) {
    const auto row = std::ranges::find(sign_table::operators, sign, &sign_table::OperatorRow::sign);
    if (row == std::end(sign_table::operators)) return std::nullopt;
    const NumberType a = promoted(left), b = promoted(right);
    Operator made;
    if (row->yields == sign_table::Yields::left) {
        if (a.is_real() || b.is_real()) return std::nullopt;
        made.left = made.result = a;
        made.right = b;
    } else {
        const NumberType common = common_type(a, b);
        made.left = made.right = common;
        made.result = row->yields == sign_table::Yields::truth ? NumberType{Scalar::Kind::boolean, 1} : common;
    }
    made.apply = made.left.is_real()                                ? row->of_real
                 : made.left.kind == Scalar::Kind::unsigned_integer ? row->of_unsigned
                                                                    : row->of_signed;
    return made.apply ? std::optional(made) : std::nullopt;
}

Scalar converted(const Scalar& value, Scalar::Kind kind, unsigned bytes) {
    NumberBits bits = bits_of(value);
    convert(&bits, 1, {value.kind, value.bytes}, {kind, bytes});
    return scalar_of({kind, bytes}, bits);
}

std::optional<Scalar> compute(std::string_view sign, const Scalar& left, const Scalar& right) {
    if (sign == "&&") return Scalar::of_bool(left.truth() && right.truth());
    if (sign == "||") return Scalar::of_bool(left.truth() || right.truth());
    const NumberType a{left.kind, left.bytes}, b{right.kind, right.bytes};
    const auto found = find_operator(sign, a, b);
    if (!found) return std::nullopt;
    NumberBits x = bits_of(left), y = bits_of(right), made{};
    convert(&x, 1, a, found->left);
    convert(&y, 1, b, found->right);
    if (found->apply(&x, &y, &made, 1, found->result) != 0) return std::nullopt;
    return scalar_of(found->result, made);
}

std::optional<Scalar> compute(std::string_view sign, const Scalar& operand) {
    if (sign == "!") return Scalar::of_bool(!operand.truth());
    const NumberType type = promoted({operand.kind, operand.bytes});
    const Scalar a = converted(operand, type.kind, type.bytes);
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
