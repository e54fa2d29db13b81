// How much memory JSON of strangers would take, before it is read.
#pragma once

#include <cstddef>
#include <string_view>

namespace cudash {

/// A value of JSON takes some 50 bytes of memory where its text may take two: values are counted before they are made.
/// Each one stands behind a bracket, a comma or a colon. What follows a zero byte is not looked at.
inline bool is_modest_json(std::string_view text, std::size_t most_values, std::size_t most_depth) {
    std::size_t values = 0, depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size() && text[i] != '\0'; ++i) {
        const char c = text[i];
        if (quoted) {
            i += c == '\\';
            quoted = c != '"';
            continue;
        }
        quoted = c == '"';
        values += c == '{' || c == '[' || c == ',' || c == ':';
        depth += c == '{' || c == '[';
        depth -= (c == '}' || c == ']') && depth > 0;
        if (values > most_values || depth > most_depth) return false;
    }
    return true;
}

}  // namespace cudash
