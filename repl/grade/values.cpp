#include "repl/grade/values.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace cudash::grade {
namespace {

using Kind = session::Scalar::Kind;

constexpr std::array table = {
    ElementType{"char", Kind::signed_integer, 1, 0, 0},
    ElementType{"unsigned char", Kind::unsigned_integer, 1, 0, 0},
    ElementType{"short", Kind::signed_integer, 2, 0, 0},
    ElementType{"unsigned short", Kind::unsigned_integer, 2, 0, 0},
    ElementType{"int", Kind::signed_integer, 4, 0, 0},
    ElementType{"unsigned", Kind::unsigned_integer, 4, 0, 0},
    ElementType{"long long", Kind::signed_integer, 8, 0, 0},
    ElementType{"unsigned long long", Kind::unsigned_integer, 8, 0, 0},
    // Ten roundings: whoever adds many of them does so in float.
    ElementType{"half", Kind::floating, 2, 5e-3, 1e-3},
    ElementType{"nv_bfloat16", Kind::brain, 2, 4e-2, 1e-2},
    // Sums of some thousand products, in any order.
    ElementType{"float", Kind::floating, 4, 1e-4, 1e-5},
    ElementType{"double", Kind::floating, 8, 1e-10, 1e-12},
};

/// From here on a double stands for several whole numbers.
constexpr double least_inexact = 0x1p53;

bool is_near(double expected, double actual, const Tolerance& tolerance) {
    if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
    if (expected == actual) return true;
    if (std::isinf(expected) || std::isinf(actual)) return false;
    return std::abs(actual - expected) <= tolerance.absolute + tolerance.relative * std::abs(expected);
}

std::string value_text(const ElementType& type, const std::byte* bytes) {
    return type.is_whole() ? view::text(type.scalar(), bytes) : fmt::format("{:.7g}", type.read(bytes));
}

constexpr std::size_t shown_before = 2, shown_in_all = 8;

}  // namespace

std::span<const ElementType> element_types() {
    return table;
}

const ElementType* find_type(std::string_view name) {
    if (name.starts_with("__")) name.remove_prefix(2);
    for (const ElementType& type : table)
        if (type.name == name) return &type;
    return nullptr;
}

std::string ElementType::misfit(double value) const {
    std::array<std::byte, 8> element{};
    if (!is_whole()) {
        write(value, element.data());
        return std::isfinite(value) && std::isinf(read(element.data()))
                   ? fmt::format("{:g} is too big for {}", value, name)
                   : "";
    }
    if (!std::isfinite(value) || value != std::floor(value))
        return fmt::format("{:g} is not a whole number, as {} needs", value, name);
    if (std::abs(value) >= least_inexact)
        return fmt::format("{:g} has more digits than are read here: put such numbers into a .npy file", value);
    write(value, element.data());
    return read(element.data()) == value ? "" : fmt::format("{:.17g} is out of the range of {}", value, name);
}

Bytes random_values(const ElementType& type, std::size_t count, double low, double high, const Key& key) {
    Bytes bytes(count * type.size);
    for (std::size_t i = 0; i < count; ++i) {
        // 53 random bits: a double between 0 and 1.
        char counter[sizeof i];
        std::memcpy(counter, &i, sizeof i);
        const double part = static_cast<double>(keyed_hash(key, {counter, sizeof counter}) >> 11) * 0x1p-53;
        const double value = type.is_whole() ? std::floor(low + part * (high - low + 1)) : low + part * (high - low);
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

Result<Bytes> loaded_values(const ElementType& type, const view::Loaded& loaded) {
    const session::Scalar& from = loaded.element.scalars.front();
    const std::size_t count = loaded.bytes.size() / from.bytes;
    Bytes bytes(count * type.size);
    for (std::size_t i = 0; i < count; ++i) {
        const auto* element = reinterpret_cast<const std::byte*>(loaded.bytes.data()) + i * from.bytes;
        std::byte* to = &bytes[i * type.size];
        if (from.kind == type.kind && from.bytes == type.size) {
            std::memcpy(to, element, type.size);  // all digits, and what is not a number
            continue;
        }
        const double value = view::number(from, element);
        if (const std::string why = type.misfit(value); !why.empty())
            return error("bad-file", fmt::format("element {}: {}", i, why));
        type.write(value, to);
    }
    return bytes;
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
               // As doubles, two long ones that differ may be equal.
               ((!type.is_whole() || tolerance.absolute + tolerance.relative > 0) &&
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
