#include "repl/grade/values.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace cudash::grade {
namespace {

template <class T>
double read_as(const std::byte* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value);
}

template <class T>
void write_as(double value, std::byte* bytes) {
    const T converted = static_cast<T>(value);
    std::memcpy(bytes, &converted, sizeof converted);
}

template <class T>
constexpr ElementType whole(std::string_view name) {
    return {name, sizeof(T), 0, 0, read_as<T>, write_as<T>};
}

constexpr std::array table = {
    whole<std::int8_t>("char"),
    whole<std::uint8_t>("unsigned char"),
    whole<std::int16_t>("short"),
    whole<std::uint16_t>("unsigned short"),
    whole<std::int32_t>("int"),
    whole<std::uint32_t>("unsigned"),
    whole<std::int64_t>("long long"),
    whole<std::uint64_t>("unsigned long long"),
    // Sums of some thousand products, in any order.
    ElementType{"float", sizeof(float), 1e-4, 1e-5, read_as<float>, write_as<float>},
    ElementType{"double", sizeof(double), 1e-10, 1e-12, read_as<double>, write_as<double>},
};

bool is_whole(const ElementType& type) {
    return type.relative == 0;
}

/// S. Vigna's SplitMix64: every state gives another number.
std::uint64_t next(std::uint64_t& state) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

bool is_near(double expected, double actual, const Tolerance& tolerance) {
    if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
    if (expected == actual) return true;
    if (std::isinf(expected) || std::isinf(actual)) return false;
    return std::abs(actual - expected) <= tolerance.absolute + tolerance.relative * std::abs(expected);
}

std::string value_text(const ElementType& type, const std::byte* bytes) {
    if (is_whole(type) && type.size < 8) return fmt::format("{}", static_cast<std::int64_t>(type.read(bytes)));
    if (is_whole(type)) {  // more digits than a double has
        std::int64_t value;
        std::memcpy(&value, bytes, sizeof value);
        return type.name.starts_with("unsigned") ? fmt::format("{}", static_cast<std::uint64_t>(value))
                                                 : fmt::format("{}", value);
    }
    return fmt::format("{:.7g}", type.read(bytes));
}

constexpr std::size_t shown_before = 2, shown_in_all = 8;

}  // namespace

std::span<const ElementType> element_types() {
    return table;
}

const ElementType* find_type(std::string_view name) {
    for (const ElementType& type : table)
        if (type.name == name) return &type;
    return nullptr;
}

Bytes random_values(const ElementType& type, std::size_t count, double low, double high, std::uint64_t seed) {
    Bytes bytes(count * type.size);
    for (std::size_t i = 0; i < count; ++i) {
        // 53 random bits: a double between 0 and 1.
        const double part = static_cast<double>(next(seed) >> 11) * 0x1p-53;
        const double value = is_whole(type) ? std::floor(low + part * (high - low + 1)) : low + part * (high - low);
        type.write(std::min(value, high), &bytes[i * type.size]);
    }
    return bytes;
}

Bytes counted_values(const ElementType& type, std::size_t count, double first, double step) {
    Bytes bytes(count * type.size);
    for (std::size_t i = 0; i < count; ++i) type.write(first + step * static_cast<double>(i), &bytes[i * type.size]);
    return bytes;
}

Bytes listed_values(const ElementType& type, std::span<const double> values) {
    Bytes bytes(values.size() * type.size);
    for (std::size_t i = 0; i < values.size(); ++i) type.write(values[i], &bytes[i * type.size]);
    return bytes;
}

std::uint64_t seed_of(std::uint64_t seed, std::string_view check, std::string_view input) {
    // FNV-1a, then mixed.
    std::uint64_t hash = 0xcbf29ce484222325 ^ seed;
    for (const std::string_view text : {check, std::string_view("\0", 1), input})
        for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return next(hash);
}

Comparison compare_values(std::string_view name, const ElementType& type, std::span<const std::byte> expected,
                          std::span<const std::byte> actual, const Tolerance& tolerance, std::size_t columns) {
    Comparison result;
    result.count = expected.size() / type.size;
    const std::size_t came = std::min(result.count, actual.size() / type.size);
    std::size_t first = result.count;
    const auto same = [&](std::size_t i) {
        if (i >= came) return false;
        const std::byte *a = &expected[i * type.size], *b = &actual[i * type.size];
        return std::memcmp(a, b, type.size) == 0 ||
               (!is_whole(type) && is_near(type.read(a), type.read(b), tolerance)) ||
               (is_whole(type) && tolerance.absolute + tolerance.relative > 0 &&
                is_near(type.read(a), type.read(b), tolerance));
    };
    for (std::size_t i = 0; i < result.count; ++i) {
        if (same(i)) continue;
        ++result.wrong;
        first = std::min(first, i);
    }
    if (result.wrong == 0) return result;

    const auto element = [&](std::size_t i) {
        return columns ? fmt::format("{}[{}][{}]", name, i / columns, i % columns) : fmt::format("{}[{}]", name, i);
    };
    result.reason = fmt::format("{} of {} elements of {} are wrong; the first is {}", result.wrong, result.count, name,
                                element(first));
    std::size_t begin = first - std::min(first, shown_before), end = std::min(begin + shown_in_all, result.count);
    if (columns) {  // not beyond the row
        begin = std::max(begin, first / columns * columns);
        end = std::min(begin + shown_in_all, std::min((first / columns + 1) * columns, result.count));
    }
    result.expected = fmt::format("from {}:", element(begin));
    result.actual = result.expected;
    for (std::size_t i = begin; i < end; ++i) {
        result.expected += " " + value_text(type, &expected[i * type.size]);
        const std::string value = i < came ? value_text(type, &actual[i * type.size]) : "-";
        result.actual += same(i) ? " " + value : fmt::format(" [{}]", value);
    }
    result.expected += '\n';
    result.actual += '\n';
    return result;
}

Comparison compare_words(std::string_view expected, std::string_view actual, const Tolerance& tolerance) {
    Comparison result;
    const auto split = [](std::string_view text) {
        std::vector<std::pair<std::string_view, std::size_t>> words;  // with their lines
        std::size_t line = 1;
        for (std::size_t i = 0; i < text.size();) {
            const std::size_t end = std::min(text.find_first_of(" \t\r\n,;:=()[]", i), text.size());
            if (end > i) words.emplace_back(text.substr(i, end - i), line);
            if (end < text.size() && text[end] == '\n') ++line;
            i = end + 1;
        }
        return words;
    };
    const auto number = [](std::string_view word) -> std::optional<double> {
        double value = 0;
        const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
        return problem == std::errc() && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
    };
    const auto wanted = split(expected), came = split(actual);
    result.count = std::max(wanted.size(), came.size());
    std::size_t first = result.count;
    for (std::size_t i = 0; i < result.count; ++i) {
        bool same = i < wanted.size() && i < came.size();
        if (same && wanted[i].first != came[i].first) {
            const auto a = number(wanted[i].first), b = number(came[i].first);
            same = a && b && is_near(*a, *b, tolerance);
        }
        if (same) continue;
        ++result.wrong;
        first = std::min(first, i);
    }
    if (result.wrong == 0) return result;
    const std::size_t line = first < came.size() ? came[first].second : came.empty() ? 1 : came.back().second;
    result.reason = came.empty() ? "it prints nothing"
                                 : fmt::format("{} of {} words of the output are wrong; the first is in line {}",
                                               result.wrong, result.count, line);
    const auto show = [&](const auto& words) {
        std::string text = first < words.size() ? "" : "(no more output)";
        for (std::size_t i = first - std::min(first, shown_before); i < words.size() && i < first + shown_in_all; ++i)
            text += std::string(text.empty() ? "" : " ") + std::string(words[i].first.substr(0, 80));
        return text + "\n";
    };
    result.expected = show(wanted);
    result.actual = show(came);
    return result;
}

}  // namespace cudash::grade
