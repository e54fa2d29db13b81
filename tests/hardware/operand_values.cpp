#include "tests/hardware/operand_values.h"

#include <algorithm>
#include <bit>
#include <span>

namespace cudash::oracle {
namespace {

/// A well-mixed 64-bit number from any other (the finalizer of splitmix64).
std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(mix(seed)) {}
    std::uint64_t bits() { return state_ = mix(state_); }
    std::uint64_t below(std::uint64_t bound) { return (bits() >> 11) % bound; }

private:
    std::uint64_t state_;
};

std::uint64_t low_bits(std::uint64_t value, unsigned bits) {
    return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

/// A binary floating-point format.
struct Layout {
    unsigned mantissa, exponent;
    unsigned bits() const { return 1 + exponent + mantissa; }
    std::uint64_t sign() const { return std::uint64_t{1} << (bits() - 1); }
    std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent) - 1) << mantissa; }
    std::uint64_t bias() const { return (std::uint64_t{1} << (exponent - 1)) - 1; }
    std::uint64_t quiet() const { return infinity() | std::uint64_t{1} << (mantissa - 1); }
    std::uint64_t mantissa_mask() const { return (std::uint64_t{1} << mantissa) - 1; }
    /// 2^power * 1.fraction, the fraction given by its upper bits.
    std::uint64_t power(int power, std::uint64_t fraction = 0) const {
        const std::int64_t field = static_cast<std::int64_t>(bias()) + power;
        if (field <= 0) return 1;
        if (static_cast<std::uint64_t>(field) >= infinity() >> mantissa) return infinity() - 1;
        return static_cast<std::uint64_t>(field) << mantissa | fraction;
    }
};
constexpr Layout f16_layout{10, 5}, bf16_layout{7, 8}, f32_layout{23, 8}, f64_layout{52, 11};

/// The most telling values first: crossings take as many as they have room for.
std::vector<std::uint64_t> float_specials(const Layout& f) {
    const std::uint64_t one = f.power(0), half_fraction = std::uint64_t{1} << (f.mantissa - 1);
    std::vector<std::uint64_t> all = {
        0, one, f.sign() | one, f.infinity(), f.sign() | f.infinity(), f.quiet(), f.sign(), 1, f.infinity() - 1,
        std::uint64_t{1} << f.mantissa,
        // A signalling NaN, a subnormal below zero, the NaN of all ones.
        f.infinity() | 1, f.sign() | f.mantissa_mask(), f.infinity() | f.mantissa_mask(),
        f.sign() | f.quiet() | (f.mantissa_mask() >> 3), f.power(0, half_fraction), f.power(0, 1),
        f.power(-1, f.mantissa_mask()), f.mantissa_mask(), f.sign() | (f.infinity() - 1), f.power(1), f.power(-1),
        f.sign() | f.power(0, half_fraction), f.power(static_cast<int>(f.mantissa), 1),
        f.sign() | std::uint64_t{1} << f.mantissa, f.power(-static_cast<int>(f.mantissa) - 1),
        f.sign() | f.infinity() | (half_fraction >> 1)};
    // Around the limits of the integer types and halfway between whole numbers.
    for (int power : {-2, 1, 2, 3, 7, 8, 10, 11, 15, 16, 23, 24, 31, 32, 52, 53, 62, 63, 64, 127})
        for (std::uint64_t sign : {std::uint64_t{0}, f.sign()})
            for (int step : {-1, 0, 1}) all.push_back((f.power(power) + static_cast<std::uint64_t>(step)) | sign);
    for (unsigned quarter = 1; quarter <= 24; ++quarter) {
        const auto exponent = static_cast<int>(std::bit_width(quarter)) - 1;
        const std::uint64_t fraction = static_cast<std::uint64_t>(quarter)
                                       << (f.mantissa - static_cast<unsigned>(std::min(exponent, 4)));
        for (std::uint64_t sign : {std::uint64_t{0}, f.sign()})
            all.push_back(f.power(exponent - 2, fraction & f.mantissa_mask()) | sign);
    }
    return all;
}

std::vector<std::uint64_t> integer_specials(unsigned bits) {
    const std::uint64_t top = std::uint64_t{1} << (bits - 1);
    std::vector<std::uint64_t> all = {0,
                                      1,
                                      ~std::uint64_t{0},
                                      top,
                                      top - 1,
                                      2,
                                      0x5555555555555555u,
                                      3,
                                      top + 1,
                                      ~std::uint64_t{1},
                                      7,
                                      0x8000,
                                      0xAAAAAAAAAAAAAAAAu,
                                      0x7F,
                                      0x80,
                                      0xFF,
                                      0xFFFF,
                                      0x10000,
                                      0xFFFFFFFFu,
                                      0x80000000u,
                                      0x7FFFFFFFu,
                                      31,
                                      32,
                                      0x100000000u,
                                      0x7FFFFF,
                                      0x800000,
                                      0xFFFFFF,
                                      0x1000000,
                                      0xFF800000u,
                                      0x7FFF,
                                      0xFF80,
                                      0x100,
                                      100,
                                      1000,
                                      ~std::uint64_t{99},
                                      0x0123456789ABCDEFu,
                                      0x01010101,
                                      0x80808080u,
                                      0x7F7F7F7Fu,
                                      0xFF00FF00u,
                                      0x1FFFFFF,
                                      0x20000000000001u,
                                      0x1FFFFFFFFFFFFFu};
    for (std::uint64_t& value : all) value = low_bits(value, bits);
    return all;
}

const std::vector<std::uint64_t>& shift_specials() {
    static const std::vector<std::uint64_t> all = {0,  1,  31, 32, 33,  63,  64,  65,  15,         16,         17, 8,
                                                   24, 30, 48, 62, 127, 128, 255, 256, 0x10000001, 0x80000000, ~0u};
    return all;
}

std::uint64_t random_float(const Layout& f, Random& random) {
    const std::uint64_t sign = random.bits() & f.sign();
    const std::uint64_t raw = random.bits();
    if (raw % 8 == 0) return low_bits(random.bits(), f.bits());
    // Exponents near each other, so that sums round and cancel; mantissas that end in a run of zeros or ones.
    const int spread = raw % 8 < 5 ? 4 : static_cast<int>(f.mantissa) + 2;
    const int power = static_cast<int>(random.below(static_cast<std::uint64_t>(2 * spread + 1))) - spread;
    std::uint64_t mantissa = random.bits() & f.mantissa_mask();
    const std::uint64_t unit = std::uint64_t{1} << random.below(f.mantissa);
    switch (random.below(5)) {
        case 0:
            mantissa &= ~(unit - 1);
            break;
        case 1:
            mantissa = (mantissa & ~(unit - 1)) | unit >> 1;
            break;
        case 2:
            mantissa |= unit - 1;
            break;
        default:
            break;
    }
    return sign | f.power(power, mantissa);
}

std::uint64_t random_integer(unsigned bits, Random& random) {
    const std::uint64_t value = low_bits(random.bits(), bits);
    switch (random.below(4)) {
        case 0:  // few significant bits, of either sign
            return low_bits(value >> random.below(bits), bits);
        case 1:
            return low_bits(~(value >> random.below(bits)), bits);
        default:
            return value;
    }
}

/// Small whole numbers of a float type: products and sums of them are exact.
std::uint64_t whole(const Layout& f, std::uint64_t choice) {
    const auto value = static_cast<int>(choice % 17) - 8;
    if (value == 0) return 0;
    const auto magnitude = static_cast<unsigned>(value < 0 ? -value : value);
    const auto power = static_cast<int>(std::bit_width(magnitude)) - 1;
    const std::uint64_t fraction = (std::uint64_t{magnitude} << (f.mantissa - static_cast<unsigned>(power)));
    return (value < 0 ? f.sign() : 0) | f.power(power, fraction & f.mantissa_mask());
}

enum class Family : std::uint8_t {
    integer,
    real,
    pair,
    shift,
    whole_number,
    moderate,
    wide,
    huge,
    tiny,
    small_integer,
    near_limit
};
struct Kind {
    std::string_view name;
    unsigned register_bytes;
    Family family;
    unsigned bits;  ///< of an integer
    Layout layout = f32_layout;
};
constexpr Kind kinds[] = {
    {"b8", 4, Family::integer, 8},
    {"u8", 4, Family::integer, 8},
    {"s8", 4, Family::integer, 8},
    {"b16", 2, Family::integer, 16},
    {"u16", 2, Family::integer, 16},
    {"s16", 2, Family::integer, 16},
    {"b32", 4, Family::integer, 32},
    {"u32", 4, Family::integer, 32},
    {"s32", 4, Family::integer, 32},
    {"b64", 8, Family::integer, 64},
    {"u64", 8, Family::integer, 64},
    {"s64", 8, Family::integer, 64},
    {"b128", 16, Family::integer, 64},
    {"f16", 2, Family::real, 16, f16_layout},
    {"bf16", 2, Family::real, 16, bf16_layout},
    {"f32", 4, Family::real, 32, f32_layout},
    {"tf32", 4, Family::real, 32, f32_layout},
    {"f64", 8, Family::real, 64, f64_layout},
    {"f16x2", 4, Family::pair, 32, f16_layout},
    {"bf16x2", 4, Family::pair, 32, bf16_layout},
    {"e4m3x2", 2, Family::integer, 16},
    {"e5m2x2", 2, Family::integer, 16},
    {"shift", 4, Family::shift, 32},
    // For sums of products: whole numbers, which add up exactly in any order; moderate ones, which round.
    {"whole_f16x2", 4, Family::whole_number, 32, f16_layout},
    {"whole_bf16x2", 4, Family::whole_number, 32, bf16_layout},
    {"whole_f16", 2, Family::whole_number, 16, f16_layout},
    {"whole_bf16", 2, Family::whole_number, 16, bf16_layout},
    {"whole_f32", 4, Family::whole_number, 32, f32_layout},
    {"whole_f64", 8, Family::whole_number, 64, f64_layout},
    {"moderate_f16x2", 4, Family::moderate, 32, f16_layout},
    {"moderate_bf16x2", 4, Family::moderate, 32, bf16_layout},
    {"moderate_f32", 4, Family::moderate, 32, f32_layout},
    {"moderate_f16", 2, Family::moderate, 16, f16_layout},
    {"moderate_f64", 8, Family::moderate, 64, f64_layout},
    // ... with exponents far apart, subnormal values, and now and then an infinity or NaN;
    {"wide_f16x2", 4, Family::wide, 32, f16_layout},
    {"wide_bf16x2", 4, Family::wide, 32, bf16_layout},
    {"wide_f16", 2, Family::wide, 16, f16_layout},
    {"wide_f32", 4, Family::wide, 32, f32_layout},
    {"wide_f64", 8, Family::wide, 64, f64_layout},
    // whose products add up to the largest numbers and beyond; whose products are around the least normal number.
    {"huge_f16x2", 4, Family::huge, 32, f16_layout},
    {"huge_bf16x2", 4, Family::huge, 32, bf16_layout},
    {"huge_f32", 4, Family::huge, 32, f32_layout},
    {"tiny_bf16x2", 4, Family::tiny, 32, bf16_layout},
    {"tiny_f32", 4, Family::tiny, 32, f32_layout},
    {"small", 4, Family::small_integer, 32},
    {"near_limit", 4, Family::near_limit, 32},  // for sums that overflow
};

const Kind* find_kind(std::string_view name) {
    auto found = std::ranges::find(kinds, name, &Kind::name);
    return found == std::end(kinds) ? nullptr : found;
}

const std::vector<std::uint64_t>& specials_of(const Kind& kind) {
    static const auto all = [] {
        std::vector<std::vector<std::uint64_t>> lists;
        for (const Kind& k : kinds)
            lists.push_back(k.family == Family::integer ? integer_specials(k.bits)
                            : k.family == Family::shift ? shift_specials()
                                                        : float_specials(k.layout));
        return lists;
    }();
    return all[static_cast<std::size_t>(&kind - kinds)];
}

/// Without a sign. Of 64 values two are zero, four subnormal; of 256 one is infinite or a NaN.
std::uint64_t wide(const Layout& f, Random& random) {
    const std::uint64_t choice = random.below(256);
    if (choice == 0) return random.below(2) ? f.infinity() : f.quiet() | 1;
    if (choice < 8) return 0;
    if (choice < 24) return random.bits() & f.mantissa_mask();
    const std::uint64_t spread = f.bits() == 16 && f.exponent == 5 ? 12 : 16;
    const int power = static_cast<int>(random.below(2 * spread + 1)) - static_cast<int>(spread);
    const std::uint64_t mantissa = random.bits() & f.mantissa_mask();
    return f.power(power, mantissa);
}

/// The exponent of a moderate, huge or tiny value.
int power_of(const Kind& kind, Random& random) {
    const int most = static_cast<int>(kind.layout.bias());
    // Sums are .f32, or .f16 of .f16 products.
    if (kind.family == Family::huge) return (most - 6) / 2 + static_cast<int>(random.below(4));
    if (kind.family == Family::tiny) return -(most + 9) / 2 - static_cast<int>(random.below(8));
    return static_cast<int>(random.below(5)) - 2;
}

std::uint64_t random_value(const Kind& kind, Random& random) {
    const Layout& f = kind.layout;
    switch (kind.family) {
        case Family::integer:
            return random_integer(kind.bits, random);
        case Family::real:
            return random_float(f, random);
        case Family::pair:
            return random_float(f, random) | random_float(f, random) << 16;
        case Family::shift:
            return random.below(2) ? random.below(70) : random.bits() & 0xFFFFFFFFu;
        case Family::small_integer:
            return random.below(40);
        case Family::near_limit:
            return (0x7FFFFFFF + random.below(2) * 2 + random.below(40000) - 20000) & 0xFFFFFFFFu;
        case Family::whole_number:
            if (kind.bits == 32 && f.bits() == 16)
                return whole(f, random.bits() >> 8) | whole(f, random.bits() >> 8) << 16;
            return whole(f, random.bits() >> 8);
        case Family::moderate:
        case Family::wide:
        case Family::huge:
        case Family::tiny:
            break;
    }
    auto one = [&] {
        return (random.bits() & f.sign()) |
               (kind.family == Family::wide ? wide(f, random)
                                            : f.power(power_of(kind, random), random.bits() & f.mantissa_mask()));
    };
    return f.bits() == 16 && kind.register_bytes == 4 ? one() | one() << 16 : one();
}

std::uint64_t crossed(const Kind& kind, unsigned arity, unsigned position, std::uint64_t index, Random& random) {
    if (kind.family >= Family::whole_number) return random_value(kind, random);
    const auto& specials = specials_of(kind);
    // Digits of the index choose: as many specials as fit a cross of about 700 (two) or 1300 elements (three).
    std::uint64_t per_operand = specials.size();
    if (arity == 2) per_operand = std::min<std::uint64_t>(per_operand, 26);
    if (arity >= 3) per_operand = std::min<std::uint64_t>(per_operand, 11);
    std::uint64_t all = 1, digit = index;
    for (unsigned i = 0; i < std::min(arity, 3u); ++i) all *= per_operand;
    for (unsigned i = 0; i < std::min(position, 2u); ++i) digit /= per_operand;
    // A fourth operand of a cross is random, and now and then a random element meets any special value.
    if (index < all && position < 3) {
        const std::uint64_t chosen = specials[digit % per_operand];
        if (kind.family != Family::pair) return chosen;
        return chosen | specials[(digit % per_operand + 3 * position + 1) % specials.size()] << 16;
    }
    if (random.below(6) == 0 && kind.family != Family::pair) return specials[random.below(specials.size())];
    return random_value(kind, random);
}

}  // namespace

std::optional<unsigned> register_bytes(std::string_view name) {
    if (name == "p") return 0;
    const Kind* kind = find_kind(name);
    if (!kind) return std::nullopt;
    return kind->register_bytes;
}

Value operand_value(std::string_view name, unsigned arity, unsigned position, std::uint64_t index) {
    Random random(mix(index) ^ (arity * 0x1000193ull) ^ (std::uint64_t{position} << 40));
    if (name == "p") return {random.bits() >> 17 & 1, 0};
    const Kind& kind = *find_kind(name);
    Value value{crossed(kind, arity, position, index, random), 0};
    if (kind.register_bytes == 16) value[1] = random.bits();
    // The bits above an 8-bit operand do not count.
    if (kind.bits == 8) value[0] |= random.bits() & 0xFFFFFF00u;
    return value;
}

std::uint64_t dense_value(std::string_view name, unsigned position, std::uint64_t index, std::uint64_t count) {
    const Kind& kind = *find_kind(name);
    const Layout& f = kind.layout;
    const auto& specials = float_specials(f);
    Random random(mix(index) ^ (std::uint64_t{position} << 40));
    auto one = [&]() -> std::uint64_t {
        if (index < 26) return specials[(index + 5 * position) % 26];
        const std::uint64_t sign = random.bits() & f.sign();
        // A third over all exponents, a third around one, a third around zero's neighbourhood of the argument's use.
        if (index % 3 == 0) {
            const std::uint64_t fields = f.infinity() >> f.mantissa;
            return sign | (index / 3 * fields / (count / 3 + 1) % fields) << f.mantissa |
                   (random.bits() & f.mantissa_mask());
        }
        if (index % 3 == 1)
            return sign | f.power(static_cast<int>(random.below(9)) - 4, random.bits() & f.mantissa_mask());
        return f.power(static_cast<int>(index / 3 % 2) - 1,
                       (index / 3 * (f.mantissa_mask() / (count / 3 + 1) + 1)) & f.mantissa_mask());
    };
    const std::uint64_t low = one();
    return kind.family == Family::pair ? low | one() << 16 : low;
}

std::vector<std::uint64_t> inputs_of(const InstructionCase& test) {
    unsigned arity = 0;
    for (const OperandKind& source : test.sources) arity += source.literal.empty() && source.bytes != 0;
    std::vector<std::uint64_t> words;
    words.reserve(test.threads() * test.source_columns());
    for (std::uint64_t index = 0; index < test.threads(); ++index) {
        unsigned position = 0;
        for (const OperandKind& source : test.sources) {
            if (!source.literal.empty()) continue;
            if (test.tolerance && source.bytes != 0 && find_kind(source.name)->family < Family::whole_number) {
                words.push_back(dense_value(source.name, position++, index, test.threads()));
                continue;
            }
            const Value value = operand_value(source.name, arity, position++, index);
            words.push_back(value[0]);
            if (source.bytes == 16) words.push_back(value[1]);
        }
    }
    return words;
}

std::vector<std::uint64_t> memory_of(const InstructionCase& test) {
    std::vector<std::uint64_t> words(InstructionCase::memory_words);
    if (test.memory.empty()) return words;
    const unsigned bits = std::max(find_kind(test.memory)->bits, 8u);
    for (std::size_t i = 0; i < words.size() * 64 / bits; ++i) {
        const std::uint64_t value = low_bits(operand_value(test.memory, 1, 9, i)[0], bits);
        words[i * bits / 64] |= value << (i * bits % 64);
    }
    return words;
}

}  // namespace cudash::oracle
