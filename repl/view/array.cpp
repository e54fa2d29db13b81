#include "repl/view/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
    std::string inner = fmt::format("{}", index(first.size() - 1, column));
    for (std::size_t i = extent.size() - 1; i-- > 0;) {
        inner = fmt::format("{},{}", index(i, row % extent[i]), inner);
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

std::size_t level(double value, double least, double most, std::size_t levels) {
    if (!(most > least)) return value == 0 ? 0 : levels / 2;
    const double part = (value - least) / (most - least) * static_cast<double>(levels);
    return std::min(levels - 1, static_cast<std::size_t>(std::max(0.0, part)));
}

namespace {

/// Calls `use` with the finite numbers of each row of a scalar, and counts the others; false if memory can't be read.
/// Arrays of millions of elements are read here: the kind of the scalar is looked at once, and simple loops over plain
/// numbers are what compilers make vector instructions of.
template <class Use>
bool each_row(const Array& array, const Scalar& scalar, Summary& others, Use use) {
    bool readable = true;
    with_reader(scalar, [&](auto read) {
        std::vector<std::byte> bytes;
        const std::uint64_t rows = array.rows(), columns = array.columns(), step = array.element.bytes;
        std::vector<double> numbers(columns);
        for (std::uint64_t row = 0; row < rows; ++row) {
            if (!(readable = array.read_row(row, 0, columns, bytes))) return;
            const std::byte* at = bytes.data() + scalar.offset;
            for (std::uint64_t i = 0; i < columns; ++i) numbers[i] = read(at + i * step);
            std::uint64_t finite = 0;
            for (const double number : numbers) finite += std::isfinite(number);
            others.count += columns;
            std::span<const double> kept(numbers);
            if (finite < columns) {
                std::uint64_t nans = 0;
                for (const double number : numbers) nans += std::isnan(number);
                others.nans += nans;
                others.infinite += columns - finite - nans;
                kept = std::span(numbers.begin(), std::remove_if(numbers.begin(), numbers.end(),
                                                                 [](double number) { return !std::isfinite(number); }));
            }
            use(kept);
        }
    });
    return readable;
}

constexpr std::size_t lanes = 4;  ///< sums and extremes of every fourth number: no step waits for the one before

}  // namespace

bool summarise(const Array& array, Summary& summary) {
    summary = {};
    if (array.element.scalars.empty()) return true;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::array<double, lanes> least, most, sum{}, squares{};
    least.fill(infinity);
    most.fill(-infinity);
    std::uint64_t zeros = 0, finite = 0;
    const bool readable = each_row(array, array.element.scalars.front(), summary, [&](std::span<const double> numbers) {
        const auto add = [&](std::size_t lane, double number) {
            least[lane] = number < least[lane] ? number : least[lane];
            most[lane] = number > most[lane] ? number : most[lane];
            sum[lane] += number;
            squares[lane] += number * number;
            zeros += number == 0;
        };
        const std::size_t whole = numbers.size() / lanes * lanes;
        for (std::size_t i = 0; i < whole; i += lanes)
            for (std::size_t lane = 0; lane < lanes; ++lane) add(lane, numbers[i + lane]);
        for (std::size_t i = whole; i < numbers.size(); ++i) add(0, numbers[i]);
        finite += numbers.size();
    });
    if (finite == 0) return readable;
    summary.least = *std::min_element(least.begin(), least.end());
    summary.most = *std::max_element(most.begin(), most.end());
    summary.sum = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    summary.squares = (squares[0] + squares[1]) + (squares[2] + squares[3]);
    summary.zeros = zeros;
    return readable;
}

bool tally(const Array& array, double least, double most, std::vector<std::uint64_t>& counts) {
    if (array.element.scalars.empty()) return true;
    Summary ignored;
    return each_row(array, array.element.scalars.front(), ignored, [&](std::span<const double> numbers) {
        if (counts.size() == 1 || !(most > least)) {
            counts[0] += numbers.size();
            return;
        }
        const double range = most - least, intervals = static_cast<double>(counts.size());
        const int last = static_cast<int>(counts.size()) - 1;
        // As level(): what is counted lies between the two.
        for (const double number : numbers) {
            const double part = (number - least) / range * intervals;
            ++counts[static_cast<std::size_t>(std::min(last, static_cast<int>(std::max(0.0, part))))];
        }
    });
}

bool reduce(const Array& array, std::size_t height, std::size_t width, std::vector<double>& cells, std::size_t which) {
    cells.assign(height * width, std::numeric_limits<double>::quiet_NaN());
    if (which >= array.element.scalars.size()) return true;
    const Scalar& scalar = array.element.scalars[which];
    std::vector<double> sums(width);
    std::vector<std::uint64_t> counts(width);
    // Where each column of cells begins; the last entry is the end.
    std::vector<std::uint64_t> edges(width + 1);
    for (std::size_t x = 0; x <= width; ++x) edges[x] = array.columns() * x / width;
    std::vector<std::byte> bytes;
    bool readable = true;
    with_reader(scalar, [&](auto read) {
        const std::uint64_t step = array.element.bytes;
        for (std::size_t y = 0; y < height; ++y) {
            std::fill(sums.begin(), sums.end(), 0.0);
            std::fill(counts.begin(), counts.end(), 0);
            const std::uint64_t begin = array.rows() * y / height;
            const std::uint64_t end = std::max(begin + 1, array.rows() * (y + 1) / height);
            for (std::uint64_t row = begin; row < end; ++row) {
                if (!(readable = array.read_row(row, 0, array.columns(), bytes))) return;
                for (std::size_t x = 0; x < width; ++x) {
                    const std::byte* at = bytes.data() + edges[x] * step + scalar.offset;
                    double sum = sums[x];
                    std::uint64_t count = counts[x];
                    for (std::uint64_t i = edges[x], to = std::max(i + 1, edges[x + 1]); i < to; ++i, at += step) {
                        const double value = read(at);
                        if (!std::isfinite(value)) continue;
                        sum += value;
                        ++count;
                    }
                    sums[x] = sum;
                    counts[x] = count;
                }
            }
            for (std::size_t x = 0; x < width; ++x)
                if (counts[x]) cells[y * width + x] = sums[x] / static_cast<double>(counts[x]);
        }
    });
    return readable;
}

std::pair<double, double> range_of(const std::vector<double>& cells) {
    double least = 0, most = 0;
    bool any = false;
    for (const double cell : cells) {
        if (std::isnan(cell)) continue;
        least = any ? std::min(least, cell) : cell;
        most = any ? std::max(most, cell) : cell;
        any = true;
    }
    return {least, most};
}

Array row_of(const Array& array, std::uint64_t row) {
    Array line = array;
    line.begin = array.offset(row, 0);
    line.extent = {array.columns()};
    line.stride = {array.stride.back()};
    line.first = {array.first.back()};
    if (!array.step.empty()) line.step = {array.step.back()};
    return line;
}

}  // namespace cudash::view
