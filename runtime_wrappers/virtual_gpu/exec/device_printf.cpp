#include "runtime_wrappers/virtual_gpu/exec/device_printf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace cudash::virtual_gpu {
namespace {

// A width or precision beyond this is cut: one conversion must not fill the host's memory.
constexpr int most_columns = 65535;

/// What stands between % and the letter, and the letter.
struct Conversion {
    std::string_view text;  ///< all of it, for printing as it stands
    std::string flags;
    bool width_from_argument = false, precision_from_argument = false;
    std::optional<int> width, precision;
    std::string_view size;  ///< "", "hh", "h", "l", "ll", "z", "t", "j"
    char letter = '\0';
};

enum class Kind : std::uint8_t { percent, character, string, pointer, signed_integer, unsigned_integer, real, unknown };

Kind kind_of(char letter) {
    switch (letter) {
        case '%':
            return Kind::percent;
        case 'c':
            return Kind::character;
        case 's':
            return Kind::string;
        case 'p':
            return Kind::pointer;
        case 'd':
        case 'i':
            return Kind::signed_integer;
        case 'o':
        case 'u':
        case 'x':
        case 'X':
            return Kind::unsigned_integer;
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
        case 'a':
        case 'A':
            return Kind::real;
        default:
            return Kind::unknown;
    }
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

int parse_columns(std::string_view format, std::size_t& position) {
    int columns = 0;
    for (; position < format.size() && is_digit(format[position]); ++position) {
        columns = std::min(columns * 10 + (format[position] - '0'), most_columns);
    }
    return columns;
}

/// The conversion that begins with the % at `begin`.
Conversion parse_conversion(std::string_view format, std::size_t begin) {
    Conversion conversion;
    std::size_t position = begin + 1;
    const auto at = [&](std::size_t index) { return index < format.size() ? format[index] : '\0'; };
    for (; at(position) != '\0' && std::strchr("-+ #0", at(position)) != nullptr; ++position) {
        if (conversion.flags.find(at(position)) == std::string::npos) conversion.flags += at(position);
    }
    if (at(position) == '*') {
        conversion.width_from_argument = true;
        ++position;
    } else if (is_digit(at(position))) {
        conversion.width = parse_columns(format, position);
    }
    if (at(position) == '.') {
        ++position;
        if (at(position) == '*') {
            conversion.precision_from_argument = true;
            ++position;
        } else {
            conversion.precision = parse_columns(format, position);
        }
    }
    static constexpr std::array<std::string_view, 7> sizes{"hh", "ll", "h", "l", "z", "t", "j"};
    for (const std::string_view size : sizes) {
        if (format.substr(std::min(position, format.size())).starts_with(size)) {
            conversion.size = size;
            position += size.size();
            break;
        }
    }
    conversion.letter = at(position);
    conversion.text = format.substr(begin, std::min(position + 1, format.size()) - begin);
    return conversion;
}

/// Takes arguments off the buffer, each aligned to its size.
class ArgumentReader {
public:
    explicit ArgumentReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    template <class T>
    std::optional<T> take() {
        const std::size_t begin = (position_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
        if (begin > bytes_.size() || bytes_.size() - begin < sizeof(T)) return std::nullopt;
        T value;
        std::memcpy(&value, bytes_.data() + begin, sizeof(T));
        position_ = begin + sizeof(T);
        return value;
    }

private:
    std::span<const std::byte> bytes_;
    std::size_t position_ = 0;
};

/// Runs C's printf for one conversion, whose size and letter are given apart.
template <class T>
std::string print_one(const Conversion& conversion, std::string_view size_and_letter, T value) {
    std::string pattern = "%" + conversion.flags;
    if (conversion.width) pattern += std::to_string(*conversion.width);
    if (conversion.precision) pattern += "." + std::to_string(*conversion.precision);
    pattern += size_and_letter;
    const int length = std::snprintf(nullptr, 0, pattern.c_str(), value);
    if (length < 0) return std::string(conversion.text);
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    std::snprintf(text.data(), text.size(), pattern.c_str(), value);
    text.pop_back();
    return text;
}

std::optional<std::string> print_integer(const Conversion& conversion, ArgumentReader& arguments, bool is_signed) {
    const bool is_short = conversion.size.empty() || conversion.size[0] == 'h';
    std::optional<std::uint64_t> bits;
    if (is_short) {
        if (const auto narrow = arguments.take<std::uint32_t>()) bits = *narrow;
    } else {
        bits = arguments.take<std::uint64_t>();
    }
    if (!bits) return std::nullopt;
    const std::string length_and_letter = std::string("ll") + conversion.letter;
    const unsigned unused = conversion.size == "hh" ? 56 : (conversion.size == "h" ? 48 : (is_short ? 32 : 0));
    const std::uint64_t raised = *bits << unused;
    if (is_signed) return print_one(conversion, length_and_letter, static_cast<long long>(raised) >> unused);
    return print_one(conversion, length_and_letter, static_cast<unsigned long long>(raised >> unused));
}

std::optional<std::string> print_argument(
    const Conversion& conversion, ArgumentReader& arguments,
    const std::function<std::optional<std::string>(std::uint64_t address)>& read_string) {
    switch (kind_of(conversion.letter)) {
        case Kind::percent:
            return "%";
        case Kind::character:
            if (const auto value = arguments.take<std::int32_t>()) return print_one(conversion, "c", *value);
            return std::nullopt;
        case Kind::string:
            if (const auto address = arguments.take<std::uint64_t>()) {
                std::string text = "(null)";
                if (*address != 0)
                    text = read_string(*address).value_or(fmt::format("(no string at 0x{:x})", *address));
                return print_one(conversion, "s", text.c_str());
            }
            return std::nullopt;
        case Kind::pointer:
            if (const auto address = arguments.take<std::uint64_t>()) {
                const std::string text = *address == 0 ? "(nil)" : fmt::format("0x{:x}", *address);
                return print_one(conversion, "s", text.c_str());
            }
            return std::nullopt;
        case Kind::signed_integer:
            return print_integer(conversion, arguments, true);
        case Kind::unsigned_integer:
            return print_integer(conversion, arguments, false);
        case Kind::real:
            if (const auto value = arguments.take<double>()) {
                return print_one(conversion, std::string_view(&conversion.letter, 1), *value);
            }
            return std::nullopt;
        case Kind::unknown:
            return std::nullopt;
    }
    return std::nullopt;
}

/// Fills in `*`: false if an argument is missing. A negative width is the flag '-', a negative precision none.
bool take_columns(Conversion& conversion, ArgumentReader& arguments) {
    if (conversion.width_from_argument) {
        const auto width = arguments.take<std::int32_t>();
        if (!width) return false;
        if (*width < 0) conversion.flags += '-';
        const std::int64_t columns = *width < 0 ? -std::int64_t{*width} : std::int64_t{*width};
        conversion.width = static_cast<int>(std::min<std::int64_t>(columns, most_columns));
    }
    if (conversion.precision_from_argument) {
        const auto precision = arguments.take<std::int32_t>();
        if (!precision) return false;
        if (*precision >= 0) conversion.precision = std::min(*precision, most_columns);
    }
    return true;
}

}  // namespace

std::string format_device_printf(std::string_view format, std::span<const std::byte> arguments,
                                 const std::function<std::optional<std::string>(std::uint64_t address)>& read_string) {
    std::string text;
    ArgumentReader reader(arguments);
    for (std::size_t position = 0; position < format.size();) {
        const std::size_t percent = std::min(format.find('%', position), format.size());
        text += format.substr(position, percent - position);
        if (percent == format.size()) break;
        Conversion conversion = parse_conversion(format, percent);
        std::optional<std::string> printed;
        const bool is_known = kind_of(conversion.letter) != Kind::unknown;
        if (is_known && take_columns(conversion, reader)) printed = print_argument(conversion, reader, read_string);
        text += printed ? *printed : std::string(conversion.text);
        position = percent + conversion.text.size();
    }
    return text;
}

std::size_t newest_lines_at(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) return 0;
    const std::size_t newline = text.find('\n', text.size() - bytes - 1);
    return newline == std::string_view::npos ? text.size() : newline + 1;
}

// Recorded on an H200 (tests/hardware/combinations/device_output.cu): %zu, %td and %jd are printed as they stand, and
// so is a precision of `*`; %hd, %hhd and their like print another number.
std::string_view unlike_hardware(std::string_view format) {
    for (std::size_t position = format.find('%'); position != std::string_view::npos;) {
        const Conversion conversion = parse_conversion(format, position);
        const Kind kind = kind_of(conversion.letter);
        const bool integer = kind == Kind::signed_integer || kind == Kind::unsigned_integer;
        const bool odd_size = integer && !conversion.size.empty() && conversion.size[0] != 'l';
        if (odd_size || (conversion.precision_from_argument && kind != Kind::unknown)) return conversion.text;
        position = format.find('%', position + conversion.text.size());
    }
    return {};
}

int count_printf_arguments(std::string_view format) {
    int count = 0;
    for (std::size_t position = format.find('%'); position != std::string_view::npos;) {
        const Conversion conversion = parse_conversion(format, position);
        const Kind kind = kind_of(conversion.letter);
        if (kind != Kind::unknown) {
            count += conversion.width_from_argument + conversion.precision_from_argument + (kind != Kind::percent);
        }
        position = format.find('%', position + conversion.text.size());
    }
    return count;
}

}  // namespace cudash::virtual_gpu
