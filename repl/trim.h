#pragma once

#include <string_view>

namespace cudash {

/// Without white space at both ends.
inline std::string_view trim(std::string_view text) {
    constexpr std::string_view space = " \t\n\v\f\r";
    const std::size_t begin = text.find_first_not_of(space);
    if (begin == std::string_view::npos) return text.substr(text.size());
    return text.substr(begin, text.find_last_not_of(space) + 1 - begin);
}

}  // namespace cudash
