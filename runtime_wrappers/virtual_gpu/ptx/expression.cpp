#include "runtime_wrappers/virtual_gpu/ptx/expression.h"

#include <array>
#include <bit>

namespace cudash::ptx {
namespace {

constexpr std::uint64_t warp_size = 32;  // WARP_SZ is a predefined constant (PTX ISA 4.5)
constexpr int deepest_expression = 64;   // of parentheses and signs

/// .s64, .u64 or .f64 (PTX ISA 4.5.5 "Integer Constant Expression Evaluation"). The bits of a real are those of its
/// literal, so that a NaN stays what was written.
struct Value {
    enum class Type : std::uint8_t { s64, u64, f64 };
    Type type = Type::s64;
    std::uint64_t bits = 0;
    double real = 0;
    bool single = false;  ///< written as 0f...

    std::int64_t as_signed() const { return static_cast<std::int64_t>(bits); }
    double as_real() const {
        if (type == Type::f64) return real;
        return type == Type::u64 ? static_cast<double>(bits) : static_cast<double>(as_signed());
    }
    bool truth() const { return type == Type::f64 ? real != 0 : bits != 0; }
};

Value integer(std::uint64_t bits, bool is_unsigned = false) {
    return {is_unsigned ? Value::Type::u64 : Value::Type::s64, bits, 0, false};
}
Value real(double value, bool single) {
    const std::uint64_t bits =
        single ? std::bit_cast<std::uint32_t>(static_cast<float>(value)) : std::bit_cast<std::uint64_t>(value);
    return {Value::Type::f64, bits, value, single};
}

enum class Operation : std::uint8_t {
    logical_or,
    logical_and,
    bit_or,
    bit_xor,
    bit_and,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    shift_left,
    shift_right,
    add,
    subtract,
    multiply,
    divide,
    remainder
};
constexpr int lowest_precedence = 1;
/// By Operation (PTX ISA 4.5.4, "Operator Precedence"); larger binds tighter.
constexpr std::array<int, 18> precedences{1, 2, 3, 4, 5, 6, 6, 7, 7, 7, 7, 8, 8, 9, 9, 10, 10, 10};
int precedence_of(Operation operation) {
    return precedences[static_cast<std::size_t>(operation)];
}

Value apply_to_reals(Operation operation, double a, double b, bool single, bool& valid) {
    using enum Operation;
    switch (operation) {
        case add:
            return real(a + b, single);
        case subtract:
            return real(a - b, single);
        case multiply:
            return real(a * b, single);
        case divide:
            return real(a / b, single);
        case equal:
            return integer(a == b);
        case not_equal:
            return integer(a != b);
        case less:
            return integer(a < b);
        case less_equal:
            return integer(a <= b);
        case greater:
            return integer(a > b);
        case greater_equal:
            return integer(a >= b);
        case logical_and:
            return integer(a != 0 && b != 0);
        case logical_or:
            return integer(a != 0 || b != 0);
        default:
            valid = false;
            return {};
    }
}

Value apply_to_integers(Operation operation, const Value& a, const Value& b, bool& valid) {
    using enum Operation;
    // "The usual conversions": unsigned if one of them is. A shift has the type of what is shifted.
    const bool is_unsigned = a.type == Value::Type::u64 || b.type == Value::Type::u64;
    const bool below = is_unsigned ? a.bits < b.bits : a.as_signed() < b.as_signed();
    const bool same = a.bits == b.bits;
    const bool shifts_out = b.bits > 63;
    switch (operation) {
        case logical_or:
            return integer(a.truth() || b.truth());
        case logical_and:
            return integer(a.truth() && b.truth());
        case bit_or:
            return integer(a.bits | b.bits, is_unsigned);
        case bit_xor:
            return integer(a.bits ^ b.bits, is_unsigned);
        case bit_and:
            return integer(a.bits & b.bits, is_unsigned);
        case equal:
            return integer(same);
        case not_equal:
            return integer(!same);
        case less:
            return integer(below);
        case less_equal:
            return integer(below || same);
        case greater:
            return integer(!below && !same);
        case greater_equal:
            return integer(!below);
        case shift_left:
            return integer(shifts_out ? 0 : a.bits << b.bits, a.type == Value::Type::u64);
        case shift_right:
            if (a.type == Value::Type::u64) return integer(shifts_out ? 0 : a.bits >> b.bits, true);
            return integer(static_cast<std::uint64_t>(a.as_signed() >> (shifts_out ? 63 : b.bits)));
        case add:
            return integer(a.bits + b.bits, is_unsigned);
        case subtract:
            return integer(a.bits - b.bits, is_unsigned);
        case multiply:
            return integer(a.bits * b.bits, is_unsigned);
        case divide:
        case remainder:
            break;
    }
    valid = b.bits != 0;
    if (!valid) return {};
    const bool quotient = operation == divide;
    if (is_unsigned) return integer(quotient ? a.bits / b.bits : a.bits % b.bits, true);
    if (b.as_signed() == -1) return integer(quotient ? 0 - a.bits : 0);  // the least integer by -1 wraps
    return integer(
        static_cast<std::uint64_t>(quotient ? a.as_signed() / b.as_signed() : a.as_signed() % b.as_signed()));
}

class ExpressionParser {
public:
    explicit ExpressionParser(TokenReader& reader) : reader_(reader) {}

    bool parse(Value& value, bool negative) {
        if (!parse_unary(value)) return false;
        if (negative && !negate(value)) return false;
        return parse_rest(value);
    }

private:
    bool parse_whole(Value& value) { return parse_unary(value) && parse_rest(value); }

    /// What follows a first operand: binary operators, then `? :`.
    bool parse_rest(Value& value) {
        if (!parse_binary(value, lowest_precedence)) return false;
        if (!reader_.accept('?')) return true;
        if (++depth_ > deepest_expression) return reader_.fail("a constant expression is nested too deep");
        Value chosen, other;
        if (!parse_whole(chosen) || !reader_.expect(':', "in a conditional expression") || !parse_whole(other))
            return false;
        --depth_;
        value = value.truth() ? chosen : other;
        return true;
    }

    bool negate(Value& value) {
        constexpr std::uint64_t sign_of_single = std::uint64_t{1} << 31, sign_of_double = std::uint64_t{1} << 63;
        value.real = -value.real;
        value.bits = value.type != Value::Type::f64 ? 0 - value.bits
                                                    : value.bits ^ (value.single ? sign_of_single : sign_of_double);
        return true;
    }

    bool parse_unary(Value& value) {
        if (++depth_ > deepest_expression) return reader_.fail("a constant expression is nested too deep");
        const bool parsed = parse_signed(value);
        --depth_;
        return parsed;
    }
    bool parse_signed(Value& value) {
        if (reader_.accept('+')) return parse_unary(value);
        if (reader_.accept('-')) return parse_unary(value) && negate(value);
        if (reader_.accept('!')) {
            if (!parse_unary(value)) return false;
            value = integer(!value.truth());
            return true;
        }
        if (reader_.accept('~')) {
            if (!parse_unary(value)) return false;
            if (value.type == Value::Type::f64) return reader_.fail("'~' needs an integer");
            value.bits = ~value.bits;
            return true;
        }
        return parse_primary(value);
    }

    bool parse_primary(Value& value) {
        if (reader_.accept('(')) {
            for (const Value::Type type : {Value::Type::s64, Value::Type::u64}) {
                if (!reader_.accept_dotted(type == Value::Type::s64 ? "s64" : "u64")) continue;
                if (!reader_.expect(')', "after the type of a cast") || !parse_unary(value)) return false;
                if (value.type == Value::Type::f64) return reader_.fail("a cast needs an integer");
                value.type = type;
                return true;
            }
            return parse_whole(value) && reader_.expect(')', "after the expression");
        }
        if (reader_.accept_word("WARP_SZ")) {
            value = integer(warp_size);
            return true;
        }
        if (reader_.peek().kind != Token::Kind::number) return reader_.fail_expected("an operand");
        const std::string_view text = reader_.peek().text;
        const auto number = parse_number(text);
        if (!number) return reader_.fail_expected("a constant that fits 64 bits");
        const bool is_unsigned = text.back() == 'U' || number->bits >> 63 != 0;
        reader_.take();
        if (!number->is_real) {
            value = integer(number->bits, is_unsigned);
        } else if (number->single) {
            value = real(std::bit_cast<float>(static_cast<std::uint32_t>(number->bits)), true);
            value.bits = number->bits;
        } else {
            value = real(std::bit_cast<double>(number->bits), false);
            value.bits = number->bits;
        }
        return true;
    }

    /// The next binary operator of at least `least` precedence, left where it is.
    bool find_operator(Operation& operation, int least) const {
        const Token& token = reader_.peek();
        if (token.kind == Token::Kind::word && token.text == "%") {
            operation = Operation::remainder;
            return precedence_of(operation) >= least;
        }
        if (token.kind != Token::Kind::punctuation) return false;
        struct Row {
            char mark;
            Operation operation;
        };
        static constexpr Row rows[] = {
            {'|', Operation::bit_or},    {'^', Operation::bit_xor},  {'&', Operation::bit_and}, {'=', Operation::equal},
            {'!', Operation::not_equal}, {'<', Operation::less},     {'>', Operation::greater}, {'+', Operation::add},
            {'-', Operation::subtract},  {'*', Operation::multiply}, {'/', Operation::divide},
        };
        for (const Row& row : rows)
            if (token.text[0] == row.mark) {
                operation = row.operation;
                // The second character may make it one that binds less or more.
                static constexpr std::string_view doubles = "|&<>";
                return doubles.find(row.mark) != std::string_view::npos || precedence_of(operation) >= least;
            }
        return false;
    }
    /// Takes the rest of an operator whose first character was taken.
    bool take_second(Operation& operation) {
        using enum Operation;
        if (operation == bit_or && reader_.accept('|')) operation = logical_or;
        if (operation == bit_and && reader_.accept('&')) operation = logical_and;
        if (operation == less) operation = reader_.accept('<') ? shift_left : reader_.accept('=') ? less_equal : less;
        if (operation == greater)
            operation = reader_.accept('>') ? shift_right : reader_.accept('=') ? greater_equal : greater;
        if (operation == equal || operation == not_equal) return reader_.expect('=', "in a comparison");
        return true;
    }

    /// Operators by precedence, left to right. One that was taken but binds less waits in `pending_`.
    bool parse_binary(Value& left, int least) {
        for (;;) {
            Operation operation;
            if (pending_) {
                operation = *pending_;
            } else {
                if (!find_operator(operation, least)) return true;
                reader_.take();
                if (!take_second(operation)) return false;
            }
            if (precedence_of(operation) < least) {
                pending_ = operation;
                return true;
            }
            pending_.reset();
            Value right;
            if (!parse_unary(right) || !parse_binary(right, precedence_of(operation) + 1)) return false;
            bool valid = true;
            if (left.type == Value::Type::f64 || right.type == Value::Type::f64) {
                left = apply_to_reals(operation, left.as_real(), right.as_real(), left.single && right.single, valid);
            } else {
                left = apply_to_integers(operation, left, right, valid);
            }
            if (!valid) return reader_.fail("a constant expression has no value");
        }
    }

    TokenReader& reader_;
    std::optional<Operation> pending_;
    int depth_ = 0;
};

}  // namespace

bool begins_expression(const Token& token) {
    return token.kind == Token::Kind::number || token.is('(') || token.is('~') || token.text == "WARP_SZ";
}

bool parse_expression(TokenReader& reader, Operand& value, bool negative) {
    Value result;
    if (!ExpressionParser(reader).parse(result, negative)) return false;
    if (result.type != Value::Type::f64) {
        value.kind = Operand::Kind::integer;
        value.integer = result.as_signed();
        return true;
    }
    value.kind = Operand::Kind::real;
    value.single = result.single;
    value.bits = result.bits;
    return true;
}

}  // namespace cudash::ptx
