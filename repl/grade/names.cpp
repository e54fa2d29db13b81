#include "repl/grade/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "repl/grade/keyed_hash.h"

namespace cudash::grade {
namespace {

constexpr std::size_t most_file_name = 200, most_source_name = 100;

struct CodePoints {
    std::uint32_t first, last;
};
/// Unicode 15: controls (C0, DEL, C1), direction marks, line and paragraph separators, the byte order mark. A text with
/// them does not look like what it is.
constexpr CodePoints unprintable[] = {{0, 0x1f},        {0x7f, 0x9f},      {0x61c, 0x61c},   {0x200b, 0x200f},
                                      {0x2028, 0x202e}, {0x2060, 0x206f},  {0xfdd0, 0xfdef}, {0xfeff, 0xfeff},
                                      {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};

}  // namespace

std::size_t printable_length(std::string_view text) {
    if (text.empty()) return 0;
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned first = byte(0);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xc2 && first < 0xe0 ? 2
                               : first >= 0xe0 && first < 0xf0 ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 0;
    if (length == 0) return 0;
    std::uint32_t point = length == 1 ? first : first & (0x7fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
        point = point << 6 | (byte(i) & 0x3f);
    }
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool is_surrogate = point >= 0xd800 && point < 0xe000;
    const bool is_noncharacter = (point & 0xfffe) == 0xfffe;
    if (point < least[length] || point > 0x10ffff || is_surrogate || is_noncharacter) return 0;
    const bool is_shown = std::ranges::none_of(
        unprintable, [&](const CodePoints& each) { return point >= each.first && point <= each.last; });
    return is_shown ? length : 0;
}

std::string shown_name(std::string_view name) {
    std::string result;
    while (!name.empty()) {
        const std::size_t length = name[0] == '%' ? 0 : printable_length(name);
        result +=
            length ? std::string(name.substr(0, length)) : fmt::format("%{:02X}", static_cast<unsigned char>(name[0]));
        name.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

std::string file_name(std::string_view shown) {
    std::string name;
    for (const char c : shown) name += c == '/' ? std::string("%2F") : std::string(1, c);
    if (name.starts_with('.')) name.replace(0, 1, "%2E");  // hidden files are none that anybody finds
    if (name.size() <= most_file_name) return name;
    std::size_t end = most_file_name - 40;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
    // '%' and no digit behind it stands in no other name.
    return name.substr(0, end) + "%-" + text_of(derived({}, name));
}

std::string source_name(std::string_view name) {
    const bool is_ordinary = !name.empty() && name.size() <= most_source_name && name[0] != '-' && name[0] != '.' &&
                             std::ranges::all_of(name, [](unsigned char c) {
                                 return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                        c == '_' || c == '-' || c == '.' || c == '+';
                             });
    return is_ordinary ? std::string(name) : "submission.cu";
}

std::string shell_word(std::string_view name) {
    const auto is_plain = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) ||
               std::string_view("_-./+,:@%").find(c) != std::string_view::npos;
    };
    if (!name.empty() && std::ranges::all_of(name, is_plain)) return std::string(name);
    std::string result = "'";
    for (const char c : name) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

}  // namespace cudash::grade
