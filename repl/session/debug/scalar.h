// Numbers as C++ computes with them: the usual arithmetic conversions, in 32 and 64 bits.
#pragma once

#include <cstddef>
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

struct NumberType {
    Scalar::Kind kind = Scalar::Kind::signed_integer;
    unsigned bytes = 4;

    bool operator==(const NumberType&) const = default;
    bool is_real() const { return kind == Scalar::Kind::single || kind == Scalar::Kind::real; }
};

/// A number without its type: an integer that is extended by its sign or by zeros, or a double.
union NumberBits {
    std::int64_t integer;
    double real;
};

NumberBits bits_of(const Scalar& value);
/// The number whose bytes in memory are `raw`, extended by zeros.
NumberBits number_of(NumberType type, std::uint64_t raw);
/// `count` of them in memory, `stride` bytes apart.
void read_numbers(NumberType type, const std::byte* from, unsigned stride, NumberBits* to, unsigned count);

/// As a cast does, of `count` numbers.
void convert(NumberBits* numbers, unsigned count, NumberType from, NumberType to);

/// What an operator does with numbers of two types.
struct Operator {
    NumberType left, right;  ///< what the operands are converted to
    NumberType result;
    /// Of converted numbers. A bit for each pair without a result (a division by zero).
    std::uint32_t (*apply)(const NumberBits* left, const NumberBits* right, NumberBits* to, unsigned count,
                           NumberType result) = nullptr;
};
/// By the usual arithmetic conversions; nullopt: there is none for these types. Not for && and ||.
std::optional<Operator> find_operator(std::string_view sign, NumberType left, NumberType right);

/// As a cast to that type does.
Scalar converted(const Scalar& value, Scalar::Kind kind, unsigned bytes);
/// `sign` is the operator. nullopt: it can't be computed (division by zero), or is none of two numbers.
std::optional<Scalar> compute(std::string_view sign, const Scalar& left, const Scalar& right);
std::optional<Scalar> compute(std::string_view sign, const Scalar& operand);
std::string text_of(const Scalar& value);
/// "int", "unsigned long long"
std::string_view type_name(const Scalar& value);

}  // namespace cudash::session::debug
