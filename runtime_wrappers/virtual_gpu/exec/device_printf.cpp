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
    std::string_view text;     ///< all of it
    std::string as_it_stands;  ///< what is printed if hardware doesn't know it
    std::string flags;
    bool width_from_argument = false;
    std::optional<int> width, precision;
    std::string_view size;  ///< "", "hh", "h", "l", "ll", "q"
    char letter = '\0';
    bool only_in_c = false;  ///< C knows the conversion, hardware prints it as it stands
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

/// The conversion that begins with the % at `begin`, as hardware reads it (recorded on an H200 by
/// tests/hardware/combinations/device_output.cu): it knows no precision of `*` and no sizes z, t, j and L. The size q
/// it does know, but loses it in front of a letter that it doesn't.
Conversion parse_conversion(std::string_view format, std::size_t begin) {
    Conversion conversion;
    std::size_t position = begin + 1;
    const auto at = [&](std::size_t index) { return index < format.size() ? format[index] : '\0'; };
    const auto is_one_of = [&](const char* letters) {
        return at(position) != '\0' && std::strchr(letters, at(position)) != nullptr;
    };
    for (; is_one_of("-+ #0"); ++position) {
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
            conversion.only_in_c = true;
            ++position;
        } else {
            conversion.precision = parse_columns(format, position);
        }
    }
    conversion.as_it_stands = format.substr(begin, std::min(position, format.size()) - begin);
    static constexpr std::array<std::string_view, 5> sizes{"hh", "ll", "h", "l", "q"};
    for (const std::string_view size : sizes) {
        if (format.substr(std::min(position, format.size())).starts_with(size)) {
            conversion.size = size;
            position += size.size();
            break;
        }
    }
    if (conversion.size != "q") conversion.as_it_stands += conversion.size;
    if (is_one_of("ztjL")) {
        conversion.only_in_c = true;
        conversion.as_it_stands += at(position++);
    }
    conversion.letter = at(position);
    if (position < format.size()) conversion.as_it_stands += conversion.letter;
    conversion.text = format.substr(begin, std::min(position + 1, format.size()) - begin);
    return conversion;
}

bool is_known(const Conversion& conversion) {
    return !conversion.only_in_c && kind_of(conversion.letter) != Kind::unknown;
}

/// Takes arguments off the buffer, each aligned to its size.
class ArgumentReader {
public:
    explicit ArgumentReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    /// 4 or 8 bytes.
    std::optional<std::uint64_t> take(std::size_t size) {
        const std::size_t begin = (position_ + size - 1) / size * size;
        if (begin > bytes_.size() || bytes_.size() - begin < size) return std::nullopt;
        std::uint64_t value = 0;
        std::memcpy(&value, bytes_.data() + begin, size);
        position_ = begin + size;
        return value;
    }

private:
    std::span<const std::byte> bytes_;
    std::size_t position_ = 0;
};

/// What the device hands to the host: 8 bytes for each argument, then the format. The device overlooks conversions with
/// the size hh, whose arguments come late then, and in the end the host prints bytes of the format for them (recorded
/// on an H200: "[%hhd]" of 300 prints 91, which is '[').
class Record {
public:
    Record(std::string_view format, std::span<const std::byte> arguments) : format_(format) {
        ArgumentReader reader(arguments);
        for (std::size_t position = format.find('%'); position != std::string_view::npos;) {
            const Conversion conversion = parse_conversion(format, position);
            const Kind kind = kind_of(conversion.letter);
            if (is_known(conversion)) {
                if (conversion.width_from_argument) slots_.push_back(reader.take(4));
                const bool narrow =
                    kind == Kind::character || ((kind == Kind::signed_integer || kind == Kind::unsigned_integer) &&
                                                (conversion.size.empty() || conversion.size == "h"));
                if (kind != Kind::percent && conversion.size != "hh") slots_.push_back(reader.take(narrow ? 4 : 8));
            }
            position = format.find('%', position + conversion.text.size());
        }
    }

    /// nullopt: the argument is missing.
    template <class T>
    std::optional<T> take() {
        const std::size_t index = next_++;
        std::uint64_t bits = 0;
        if (index < slots_.size()) {
            if (!slots_[index]) return std::nullopt;
            bits = *slots_[index];
        } else if (const std::size_t begin = (index - slots_.size()) * sizeof bits; begin < format_.size()) {
            std::memcpy(&bits, format_.data() + begin, std::min(sizeof bits, format_.size() - begin));
        }
        T value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }

private:
    std::string_view format_;
    std::vector<std::optional<std::uint64_t>> slots_;
    std::size_t next_ = 0;
};

/// Runs C's printf for one conversion, whose size and letter are given apart.
template <class T>
std::string print_one(const Conversion& conversion, std::string_view size_and_letter, T value) {
    std::string pattern = "%" + conversion.flags;
    if (conversion.width) pattern += std::to_string(*conversion.width);
    if (conversion.precision) pattern += "." + std::to_string(*conversion.precision);
    pattern += size_and_letter;
    const int length = std::snprintf(nullptr, 0, pattern.c_str(), value);
    if (length < 0) return conversion.as_it_stands;
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    std::snprintf(text.data(), text.size(), pattern.c_str(), value);
    text.pop_back();
    return text;
}

std::optional<std::string> print_integer(const Conversion& conversion, Record& arguments, bool is_signed) {
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
    const Conversion& conversion, Record& arguments,
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

/// Fills in `*`: false if the argument is missing. A negative width is the flag '-'.
bool take_width(Conversion& conversion, Record& arguments) {
    if (!conversion.width_from_argument) return true;
    const auto width = arguments.take<std::int32_t>();
    if (!width) return false;
    if (*width < 0) conversion.flags += '-';
    const std::int64_t columns = *width < 0 ? -std::int64_t{*width} : std::int64_t{*width};
    conversion.width = static_cast<int>(std::min<std::int64_t>(columns, most_columns));
    return true;
}

}  // namespace

std::string format_device_printf(std::string_view format, std::span<const std::byte> arguments,
                                 const std::function<std::optional<std::string>(std::uint64_t address)>& read_string) {
    std::string text;
    Record record(format, arguments);
    for (std::size_t position = 0; position < format.size();) {
        const std::size_t percent = std::min(format.find('%', position), format.size());
        text += format.substr(position, percent - position);
        if (percent == format.size()) break;
        Conversion conversion = parse_conversion(format, percent);
        std::optional<std::string> printed;
        if (is_known(conversion) && take_width(conversion, record))
            printed = print_argument(conversion, record, read_string);
        text += printed ? *printed : conversion.as_it_stands;
        position = percent + conversion.text.size();
    }
    return text;
}

std::size_t newest_lines_at(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) return 0;
    const std::size_t newline = text.find('\n', text.size() - bytes - 1);
    return newline == std::string_view::npos ? text.size() : newline + 1;
}

std::string_view unlike_c(std::string_view format) {
    for (std::size_t position = format.find('%'); position != std::string_view::npos;) {
        const Conversion conversion = parse_conversion(format, position);
        if (kind_of(conversion.letter) != Kind::unknown && (conversion.only_in_c || conversion.size == "hh"))
            return conversion.text;
        position = format.find('%', position + conversion.text.size());
    }
    return {};
}

int count_printf_arguments(std::string_view format) {
    int count = 0;
    for (std::size_t position = format.find('%'); position != std::string_view::npos;) {
        const Conversion conversion = parse_conversion(format, position);
        const Kind kind = kind_of(conversion.letter);
        if (is_known(conversion)) count += conversion.width_from_argument + (kind != Kind::percent);
        position = format.find('%', position + conversion.text.size());
    }
    return count;
}

}  // namespace cudash::virtual_gpu
