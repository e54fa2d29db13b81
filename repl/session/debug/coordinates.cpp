#include "repl/session/debug/coordinates.h"

#include <cctype>

namespace cudash::session::debug {

std::optional<Coordinates> read_coordinates(std::string_view text, std::size_t& used) {
    std::size_t at = 0;
    const auto skip = [&] {
        while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
    };
    const auto number = [&]() -> std::optional<std::uint64_t> {
        skip();
        std::uint64_t value = 0;
        const std::size_t begin = at;
        constexpr std::size_t most_digits = 10;
        for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])); ++at) {
            if (at - begin >= most_digits) return std::nullopt;
            value = value * 10 + static_cast<std::uint64_t>(text[at] - '0');
        }
        return at == begin ? std::nullopt : std::optional(value);
    };
    Coordinates made;
    skip();
    if (at < text.size() && text[at] == '(') {
        ++at;
        for (unsigned* const axis : {&made.at.x, &made.at.y, &made.at.z}) {
            const auto value = number();
            if (!value) return std::nullopt;
            *axis = static_cast<unsigned>(*value);
            skip();
            if (at < text.size() && text[at] == ',') {
                ++at;
                continue;
            }
            break;
        }
        skip();
        if (at >= text.size() || text[at] != ')') return std::nullopt;
        ++at;
    } else {
        made.linear = number();
        if (!made.linear) return std::nullopt;
    }
    used = at;
    return made;
}

std::optional<std::uint64_t> linear_of(const Coordinates& given, const Dim3& shape) {
    const std::uint64_t all = std::uint64_t{shape.x} * shape.y * shape.z;
    if (given.linear) return *given.linear < all ? given.linear : std::nullopt;
    if (given.at.x >= shape.x || given.at.y >= shape.y || given.at.z >= shape.z) return std::nullopt;
    return (std::uint64_t{given.at.z} * shape.y + given.at.y) * shape.x + given.at.x;
}

}  // namespace cudash::session::debug
