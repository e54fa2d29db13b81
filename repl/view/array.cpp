#include "repl/view/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace cudash::view {
namespace {

using session::Scalar;

/// IEEE 754 binary16 (10 bits of fraction, 5 of exponent).
float half_to_float(std::uint16_t bits) {
    const int exponent = bits >> 10 & 0x1f;
    const auto fraction = static_cast<float>(bits & 0x3ff);
    float value = 0;
    if (exponent == 0)
        value = std::ldexp(fraction, -24);
    else if (exponent == 31)
        value = fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
    else
        value = std::ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

/// Rounds to the nearest, ties to even.
std::uint16_t float_to_half(float value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const float size = std::fabs(value);
    if (std::isnan(value)) return 0x7fff;
    if (size == 0) return sign;
    if (size >= 65520.0f) return sign | 0x7c00;
    int exponent = 0;
    std::frexp(size, &exponent);
    const int shift = std::max(exponent - 11, -24);
    const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, -shift)));
    // Units of 2^shift, of which a normal number has 1024 to 2047: carries into the exponent come out right.
    if (shift == -24) return static_cast<std::uint16_t>(sign | units);
    return static_cast<std::uint16_t>(sign | (static_cast<std::uint32_t>(shift + 24) * 1024 + units));
}

std::uint16_t float_to_brain(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return 0x7fff;
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <class T>
T load(const std::byte* at) {
    T value{};
    std::memcpy(&value, at, sizeof value);
    return value;
}

/// Calls `use` with a function that reads the scalar's number at an address.
template <class Use>
bool with_reader(const Scalar& scalar, Use use) {
    const auto as = [&]<class T>(T) {
        return use([](const std::byte* at) { return static_cast<double>(load<T>(at)); }), true;
    };
    switch (scalar.kind) {
        case Scalar::Kind::floating:
            if (scalar.bytes == 2)
                return use([](const std::byte* at) {
                           return static_cast<double>(half_to_float(load<std::uint16_t>(at)));
                       }),
                       true;
            if (scalar.bytes == 4) return as(float{});
            if (scalar.bytes == 8) return as(double{});
            return false;
        case Scalar::Kind::brain:
            return use([](const std::byte* at) {
                       return static_cast<double>(
                           std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(at)) << 16));
                   }),
                   true;
        case Scalar::Kind::signed_integer:
            if (scalar.bytes == 1) return as(std::int8_t{});
            if (scalar.bytes == 2) return as(std::int16_t{});
            if (scalar.bytes == 4) return as(std::int32_t{});
            if (scalar.bytes == 8) return as(std::int64_t{});
            return false;
        case Scalar::Kind::unsigned_integer:
        case Scalar::Kind::boolean:
        case Scalar::Kind::character:
            if (scalar.bytes == 1) return as(std::uint8_t{});
            if (scalar.bytes == 2) return as(std::uint16_t{});
            if (scalar.bytes == 4) return as(std::uint32_t{});
            if (scalar.bytes == 8) return as(std::uint64_t{});
            return false;
        case Scalar::Kind::pointer:
        case Scalar::Kind::opaque:
            return false;
    }
    return false;
}

std::string quoted(unsigned char c) {
    switch (c) {
        case '\n':
            return "'\\n'";
        case '\t':
            return "'\\t'";
        case '\0':
            return "'\\0'";
        case '\'':
            return "'\\''";
        case '\\':
            return "'\\\\'";
        default:
            return c < 0x20 || c >= 0x7f ? fmt::format("'\\x{:02x}'", c) : fmt::format("'{}'", static_cast<char>(c));
    }
}

}  // namespace

std::uint64_t Array::rows() const {
    std::uint64_t count = 1;
    for (std::size_t i = 0; i + 1 < extent.size(); ++i) count *= extent[i];
    return count;
}

std::uint64_t Array::offset(std::uint64_t row, std::uint64_t column) const {
    std::uint64_t at = begin + column * stride.back();
    for (std::size_t i = extent.size() - 1; i-- > 0;) {
        at += row % extent[i] * stride[i];
        row /= extent[i];
    }
    return at;
}

std::string Array::label(std::uint64_t row, std::uint64_t column) const {
    std::string inner = fmt::format("{}", first.back() + column);
    for (std::size_t i = extent.size() - 1; i-- > 0;) {
        inner = fmt::format("{},{}", first[i] + row % extent[i], inner);
        row /= extent[i];
    }
    return "[" + inner + "]";
}

bool Array::read_row(std::uint64_t row, std::uint64_t from, std::uint64_t count, std::vector<std::byte>& bytes) const {
    bytes.resize(count * element.bytes);
    if (stride.back() == element.bytes) return read(offset(row, from), bytes);
    for (std::uint64_t i = 0; i < count; ++i)
        if (!read(offset(row, from + i), std::span(bytes).subspan(i * element.bytes, element.bytes))) return false;
    return true;
}

double number(const Scalar& scalar, const std::byte* element) {
    double value = std::numeric_limits<double>::quiet_NaN();
    with_reader(scalar, [&](auto read) { value = read(element + scalar.offset); });
    return value;
}

std::string short_text(double value) {
    std::string text = fmt::format("{:.6g}", value);
    return text == "-0" ? "0" : text;
}

std::string text(const Scalar& scalar, const std::byte* element) {
    const std::byte* at = element + scalar.offset;
    std::uint64_t bits = 0;
    if (scalar.bytes <= sizeof bits) std::memcpy(&bits, at, scalar.bytes);
    switch (scalar.kind) {
        case Scalar::Kind::boolean:
            return bits ? "true" : "false";
        case Scalar::Kind::character:
            return quoted(static_cast<unsigned char>(bits));
        case Scalar::Kind::pointer:
            return fmt::format("{:#x}", bits);
        case Scalar::Kind::unsigned_integer:
            return fmt::format("{}", bits);
        case Scalar::Kind::signed_integer: {
            const unsigned unused = 64 - 8 * scalar.bytes;
            return fmt::format("{}", static_cast<std::int64_t>(bits << unused) >> unused);
        }
        case Scalar::Kind::floating:
        case Scalar::Kind::brain:
            return short_text(number(scalar, element));
        case Scalar::Kind::opaque:
            break;
    }
    return "{...}";
}

std::string text(const session::Element& element, const std::byte* bytes) {
    if (element.scalars.size() == 1) return text(element.scalars.front(), bytes);
    std::string result;
    for (const Scalar& scalar : element.scalars) result += (result.empty() ? "(" : ", ") + text(scalar, bytes);
    return result.empty() ? "{...}" : result + ")";
}

bool store(const Scalar& scalar, double value, std::byte* element) {
    std::byte* at = element + scalar.offset;
    const auto put = [&](auto typed) { return std::memcpy(at, &typed, sizeof typed), true; };
    const auto integer = [&]<class T>(T) {
        // Outside the range a conversion is undefined: the nearest number is kept.
        const double least = static_cast<double>(std::numeric_limits<T>::min());
        const double most = std::ldexp(1.0, std::numeric_limits<T>::digits);
        if (std::isnan(value)) return put(T{});
        if (value <= least) return put(std::numeric_limits<T>::min());
        return put(value >= most ? std::numeric_limits<T>::max() : static_cast<T>(value));
    };
    switch (scalar.kind) {
        case Scalar::Kind::floating:
            if (scalar.bytes == 2) return put(float_to_half(static_cast<float>(value)));
            if (scalar.bytes == 4) return put(static_cast<float>(value));
            return scalar.bytes == 8 && put(value);
        case Scalar::Kind::brain:
            return put(float_to_brain(static_cast<float>(value)));
        case Scalar::Kind::boolean:
            return put(static_cast<std::uint8_t>(value != 0));
        case Scalar::Kind::signed_integer:
            if (scalar.bytes == 1) return integer(std::int8_t{});
            if (scalar.bytes == 2) return integer(std::int16_t{});
            if (scalar.bytes == 4) return integer(std::int32_t{});
            return scalar.bytes == 8 && integer(std::int64_t{});
        case Scalar::Kind::unsigned_integer:
        case Scalar::Kind::character:
            if (scalar.bytes == 1) return integer(std::uint8_t{});
            if (scalar.bytes == 2) return integer(std::uint16_t{});
            if (scalar.bytes == 4) return integer(std::uint32_t{});
            return scalar.bytes == 8 && integer(std::uint64_t{});
        case Scalar::Kind::pointer:
        case Scalar::Kind::opaque:
            break;
    }
    return false;
}

double Summary::deviation() const {
    if (finite() == 0) return 0;
    const double average = mean();
    return std::sqrt(std::max(0.0, squares / static_cast<double>(finite()) - average * average));
}

bool summarise(const Array& array, Summary& summary) {
    summary = {};
    if (array.element.scalars.empty()) return true;
    const Scalar& scalar = array.element.scalars.front();
    bool readable = true;
    with_reader(scalar, [&](auto read) {
        std::vector<std::byte> bytes;
        for (std::uint64_t row = 0; row < array.rows() && readable; ++row) {
            readable = array.read_row(row, 0, array.columns(), bytes);
            if (!readable) break;
            const std::byte* at = bytes.data() + scalar.offset;
            for (std::uint64_t i = 0; i < array.columns(); ++i, at += array.element.bytes) {
                const double value = read(at);
                if (std::isfinite(value)) {
                    const bool fresh = summary.count == summary.nans + summary.infinite;
                    summary.least = fresh ? value : std::min(summary.least, value);
                    summary.most = fresh ? value : std::max(summary.most, value);
                    summary.sum += value;
                    summary.squares += value * value;
                    summary.zeros += value == 0;
                } else if (std::isnan(value)) {
                    ++summary.nans;
                } else {
                    ++summary.infinite;
                }
                ++summary.count;
            }
        }
    });
    return readable;
}

bool reduce(const Array& array, std::size_t height, std::size_t width, std::vector<double>& cells, std::size_t which) {
    cells.assign(height * width, std::numeric_limits<double>::quiet_NaN());
    if (which >= array.element.scalars.size()) return true;
    const Scalar& scalar = array.element.scalars[which];
    std::vector<double> sums(width);
    std::vector<std::uint64_t> counts(width);
    std::vector<std::byte> bytes;
    bool readable = true;
    with_reader(scalar, [&](auto read) {
        for (std::size_t y = 0; y < height; ++y) {
            std::fill(sums.begin(), sums.end(), 0.0);
            std::fill(counts.begin(), counts.end(), 0);
            const std::uint64_t begin = array.rows() * y / height;
            const std::uint64_t end = std::max(begin + 1, array.rows() * (y + 1) / height);
            for (std::uint64_t row = begin; row < end; ++row) {
                if (!(readable = array.read_row(row, 0, array.columns(), bytes))) return;
                for (std::size_t x = 0; x < width; ++x) {
                    const std::uint64_t from = array.columns() * x / width;
                    const std::uint64_t to = std::max(from + 1, array.columns() * (x + 1) / width);
                    const std::byte* at = bytes.data() + from * array.element.bytes + scalar.offset;
                    for (std::uint64_t i = from; i < to; ++i, at += array.element.bytes) {
                        const double value = read(at);
                        if (!std::isfinite(value)) continue;
                        sums[x] += value;
                        ++counts[x];
                    }
                }
            }
            for (std::size_t x = 0; x < width; ++x)
                if (counts[x]) cells[y * width + x] = sums[x] / static_cast<double>(counts[x]);
        }
    });
    return readable;
}

}  // namespace cudash::view
