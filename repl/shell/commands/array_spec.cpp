#include "repl/shell/commands/array_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "repl/shell/commands/command.h"

namespace cudash::shell {
namespace {

constexpr std::size_t most_dimensions = 4;

bool is_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// "64x64", "100".
std::optional<std::vector<std::uint64_t>> parse_shape(std::string_view text) {
    std::vector<std::uint64_t> shape;
    while (true) {
        const std::size_t end = std::min(text.size(), text.find('x'));
        const auto extent = is_digits(text.substr(0, end)) ? whole_number(text.substr(0, end)) : std::nullopt;
        if (!extent || shape.size() == most_dimensions) return std::nullopt;
        shape.push_back(*extent);
        if (end == text.size()) return shape;
        text.remove_prefix(end + 1);
    }
}

/// "[0:8, 3]", with its brackets.
std::optional<std::vector<Slice>> parse_slices(std::string_view text) {
    if (text.size() < 3 || text.front() != '[' || text.back() != ']') return std::nullopt;
    text = text.substr(1, text.size() - 2);
    std::vector<Slice> slices;
    while (true) {
        const std::size_t end = std::min(text.size(), text.find(','));
        const std::string_view part = trim(text.substr(0, end));
        Slice slice;
        const auto number = [](std::string_view digits, std::optional<std::int64_t>& to) {
            digits = trim(digits);
            if (digits.empty()) return true;
            const bool negative = digits.front() == '-';
            const std::string_view size = digits.substr(negative);
            const auto value = is_digits(size) ? whole_number(size) : std::nullopt;
            if (!value || *value >> 62) return false;
            to = negative ? -static_cast<std::int64_t>(*value) : static_cast<std::int64_t>(*value);
            return true;
        };
        const std::size_t colon = part.find(':'),
                          second = colon == std::string_view::npos ? colon : part.find(':', colon + 1);
        if (colon == std::string_view::npos) {
            if (part.empty() || !number(part, slice.begin)) return std::nullopt;
            slice.single = true;
        } else if (!number(part.substr(0, colon), slice.begin) ||
                   !number(part.substr(colon + 1, second - colon - 1), slice.end) ||
                   (second != std::string_view::npos && !number(part.substr(second + 1), slice.step))) {
            return std::nullopt;
        }
        if (slice.step && *slice.step <= 0) return std::nullopt;
        slices.push_back(slice);
        if (end == text.size()) return slices;
        text.remove_prefix(end + 1);
    }
}

/// Where the last word of `text` begins: after white space that no bracket or quote holds.
std::size_t last_word(std::string_view text) {
    std::size_t begin = 0;
    int depth = 0;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote) {
            if (c == '\\')
                ++i;
            else if (c == quote)
                quote = 0;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '(' || c == '[' || c == '{') {
            ++depth;
        } else if (c == ')' || c == ']' || c == '}') {
            --depth;
        } else if (std::isspace(static_cast<unsigned char>(c)) && depth == 0) {
            begin = i + 1;
        }
    }
    return begin;
}

/// Where the bracket that closes with the text opens; its size if it does not end with one.
std::size_t last_bracket(std::string_view text) {
    int depth = 0;
    for (std::size_t i = text.size(); text.ends_with(']') && i-- > 0;) {
        if (text[i] == ']') ++depth;
        if (text[i] == '[' && --depth == 0) return i;
    }
    return text.size();
}

/// An expression could end here: "a" and not "a +".
bool ends_expression(std::string_view text) {
    text = trim(text);
    if (text.empty()) return false;
    const char c = text.back();
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ')' || c == ']' || c == '}' || c == '"' ||
           c == '>' || c == '*';
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
    return fmt::format("{}", fmt::join(shape, " x "));
}

}  // namespace

std::vector<std::string> split_expressions(std::string_view text) {
    std::vector<std::string> by_space, by_comma;
    std::string_view rest = trim(text);
    while (!rest.empty()) {
        const std::size_t begin = last_word(rest);
        by_space.emplace_back(rest.substr(begin));
        rest = trim(rest.substr(0, begin));
    }
    std::reverse(by_space.begin(), by_space.end());
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char c = i < text.size() ? text[i] : ',';
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') --depth;
        if (c != ',' || depth > 0) continue;
        by_comma.emplace_back(trim(text.substr(begin, i - begin)));
        begin = i + 1;
    }
    return by_comma.size() > 1 ? by_comma : by_space;
}

Result<ArraySpec> parse_array_spec(std::string_view text, std::span<const std::string_view> forms) {
    ArraySpec spec;
    text = trim(text);
    while (text.ends_with(';')) text = trim(text.substr(0, text.size() - 1));
    const auto before = [&](std::size_t begin) { return trim(text.substr(0, begin)); };
    std::size_t begin = last_word(text);
    if (begin > 0 && std::find(forms.begin(), forms.end(), text.substr(begin)) != forms.end()) {
        spec.form = text.substr(begin);
        text = before(begin);
        begin = last_word(text);
    }
    if (begin > 0 && text[begin] == '[') {
        const auto slices = parse_slices(text.substr(begin));
        if (!slices)
            return error("bad-argument", fmt::format("can't read {}", text.substr(begin)),
                         "a slice is [START:STOP:STEP], for example [0:8], [-4:], [::2] or [2:4, :]");
        spec.slices = *slices;
        text = before(begin);
        begin = last_word(text);
    } else if (const std::size_t open = last_bracket(text); text.find(':', open) != std::string_view::npos) {
        // d[2:4] is not C++, but d[i ? 1 : 2] is.
        if (const auto slices = parse_slices(text.substr(open))) {
            spec.slices = *slices;
            text = before(open);
            begin = last_word(text);
        }
    }
    if (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin])) && ends_expression(before(begin))) {
        if (const auto shape = parse_shape(text.substr(begin))) {
            if (std::find(shape->begin(), shape->end(), 0u) != shape->end())
                return error("bad-argument", "an array has at least one element in each dimension");
            spec.shape = *shape;
            text = before(begin);
        }
    }
    int depth = 0;
    for (std::size_t i = 0; i + 4 < text.size(); ++i) {
        if (text[i] == '(' || text[i] == '[') ++depth;
        if (text[i] == ')' || text[i] == ']') --depth;
        if (depth == 0 && text.substr(i, 4) == " as ") {
            spec.as = trim(text.substr(i + 4));
            text = trim(text.substr(0, i));
            break;
        }
    }
    spec.expression = text;
    if (text.empty()) return error("bad-argument", "an expression is missing");
    return spec;
}

Result<view::Array> shape_array(const session::Located& located, const ArraySpec& spec) {
    view::Array array;
    array.element = located.element;
    array.extent = located.extent;
    array.stride = located.stride;
    if (array.extent.empty()) {
        array.extent = {1};
        array.stride = {located.element.bytes};
    }
    if (!spec.shape.empty()) {
        const std::uint64_t row = spec.shape.back() * located.element.bytes;
        array.extent = spec.shape;
        array.stride.assign(spec.shape.size(), located.element.bytes);
        for (std::size_t i = spec.shape.size() - 1; i-- > 0;) array.stride[i] = array.stride[i + 1] * spec.shape[i + 1];
        // Rows of pitched memory begin at multiples of the pitch.
        if (located.pitch != 0 && spec.shape.size() >= 2 && row <= located.pitch) {
            array.stride[spec.shape.size() - 2] = located.pitch;
            for (std::size_t i = spec.shape.size() - 2; i-- > 0;)
                array.stride[i] = array.stride[i + 1] * spec.shape[i + 1];
        }
    }
    if (array.extent[0] == 0) {
        if (located.available > 0)
            return error(
                "beyond-the-end",
                fmt::format("the {} bytes from there to the end hold no {}", located.available, located.element.type),
                "look at another type: `as char`");
        return error("size-unknown", fmt::format("how many elements '{}' points at is not known", spec.expression),
                     fmt::format("say it: `:show {} 100`, or 10x10", spec.expression));
    }
    std::uint64_t end = located.element.bytes;
    for (std::size_t i = 0; i < array.extent.size(); ++i) {
        const std::uint64_t last = array.extent[i] - 1;
        if (array.stride[i] != 0 && last > (std::uint64_t{1} << 60) / array.stride[i])
            return error("beyond-the-end", fmt::format("{} is more than any memory", shape_text(array.extent)));
        end += last * array.stride[i];
    }
    if (located.available > 0 && end > located.available)
        return error(
            "beyond-the-end",
            fmt::format("{} of {} bytes take {} bytes{}, and there are {}", shape_text(array.extent),
                        located.element.bytes, end,
                        located.pitch ? fmt::format(" at a pitch of {}", located.pitch) : "", located.available),
            fmt::format("{} {} fit", located.available / located.element.bytes, located.element.type));
    array.first.assign(array.extent.size(), 0);
    array.step.assign(array.extent.size(), 1);
    if (spec.slices.size() > array.extent.size())
        return error(
            "bad-argument",
            fmt::format("a slice of {} dimensions, and the array has {}", spec.slices.size(), array.extent.size()),
            array.extent.size() == 1 ? "say its shape: `:show p 8x8 [0:4, :]`" : "");
    std::vector<bool> single(array.extent.size(), false);
    for (std::size_t i = 0; i < spec.slices.size(); ++i) {
        const Slice& slice = spec.slices[i];
        const auto extent = static_cast<std::int64_t>(array.extent[i]);
        const auto from_begin = [&](std::int64_t place) { return place < 0 ? place + extent : place; };
        const std::int64_t from = from_begin(slice.begin.value_or(0)), step = slice.step.value_or(1);
        const std::int64_t to = slice.single ? from + 1 : std::min(from_begin(slice.end.value_or(extent)), extent);
        if (from < 0 || from >= extent || to <= from)
            return error("beyond-the-end", fmt::format("the slice holds nothing: dimension {} goes from 0 to {}", i,
                                                       array.extent[i] - 1));
        array.begin += static_cast<std::uint64_t>(from) * array.stride[i];
        array.first[i] = static_cast<std::uint64_t>(from);
        array.step[i] = static_cast<std::uint64_t>(step);
        array.stride[i] *= static_cast<std::uint64_t>(step);
        array.extent[i] = static_cast<std::uint64_t>((to - from + step - 1) / step);
        single[i] = slice.single && spec.slices.size() > 1;
    }
    // Leading single indices go; the label keeps the others right.
    while (array.extent.size() > 1 && single.front()) {
        single.erase(single.begin());
        array.extent.erase(array.extent.begin());
        array.stride.erase(array.stride.begin());
        array.first.erase(array.first.begin());
        array.step.erase(array.step.begin());
    }
    return array;
}

}  // namespace cudash::shell
