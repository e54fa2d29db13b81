// Text for HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace cudash::view {

/// How many bytes the character at the front of `text` has; 0: it is not UTF-8, or no character of XML 1.0
/// ("Characters"). `text` is not empty.
inline std::size_t length_of_character(std::string_view text) {
    const auto at = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : static_cast<unsigned char>(0);
    };
    const auto follows = [&](std::size_t i) { return (at(i) & 0xC0) == 0x80; };
    const unsigned char first = at(0);
    if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
    if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        if (!follows(1) || !follows(2)) return 0;
        const bool overlong = first == 0xE0 && at(1) < 0xA0, surrogate = first == 0xED && at(1) >= 0xA0;
        const bool none = first == 0xEF && at(1) == 0xBF && at(2) >= 0xBE;  // U+FFFE, U+FFFF
        return overlong || surrogate || none ? 0 : 3;
    }
    if (first < 0xF0 || first > 0xF4 || !follows(1) || !follows(2) || !follows(3)) return 0;
    return (first == 0xF0 && at(1) < 0x90) || (first == 0xF4 && at(1) >= 0x90) ? 0 : 4;
}

/// As it stands between tags and in attributes in "...". What is not text becomes '?'.
inline std::string escaped(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = length_of_character(text);
        const std::string_view character = text.substr(0, length == 0 ? 1 : length);
        text.remove_prefix(character.size());
        switch (length == 0 ? '?' : character.front()) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '?':
                result += '?';
                break;
            default:
                result += character;
        }
    }
    return result;
}

}  // namespace cudash::view
