// Text for HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace cudash::view {

/// As it stands between tags and in attributes in "...". XML 1.0, "Characters", has no other control characters than
/// these two: they become '?'.
inline std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
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
            default:
                result += static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' ? '?' : c;
        }
    }
    return result;
}

}  // namespace cudash::view
