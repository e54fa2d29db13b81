// Numbers as C++ computes with them: the usual arithmetic conversions, in 32 and 64 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cudash::session::debug {

struct Scalar {
    enum class Kind : std::uint8_t { boolean, signed_integer, unsigned_integer, single, real };
    Kind kind = Kind::signed_integer;
    unsigned bytes = 4;
    std::int64_t integer = 0;  ///< its bits, extended by its sign or by zeros
    double real = 0;

    bool is_real() const { return kind == Kind::single || kind == Kind::real; }
    double as_double() const;
    bool truth() const { return is_real() ? real != 0 : integer != 0; }

    static Scalar of_bool(bool value) { return {Kind::boolean, 1, value, 0}; }
    static Scalar of_int(std::int64_t value, unsigned bytes = 4) { return {Kind::signed_integer, bytes, value, 0}; }
    static Scalar of_unsigned(std::uint64_t value, unsigned bytes = 4) {
        return {Kind::unsigned_integer, bytes, static_cast<std::int64_t>(value), 0};
    }
    static Scalar of_real(double value, bool single) {
        return {single ? Kind::single : Kind::real, single ? 4u : 8u, 0, value};
    }
};

/// As a cast to that type does.
Scalar converted(const Scalar& value, Scalar::Kind kind, unsigned bytes);
/// `sign` is the operator. nullopt: it can't be computed (division by zero), or is none of two numbers.
std::optional<Scalar> compute(std::string_view sign, const Scalar& left, const Scalar& right);
std::optional<Scalar> compute(std::string_view sign, const Scalar& operand);
std::string text_of(const Scalar& value);
/// "int", "unsigned long long"
std::string_view type_name(const Scalar& value);

}  // namespace cudash::session::debug
