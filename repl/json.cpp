#include "repl/json.h"

namespace cudash {
namespace {

template <class Json>
std::string written(const Json& value, int indent) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

nlohmann::json parse_json(std::string_view text) {
    return nlohmann::json::parse(text, nullptr, false);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text) {
    return nlohmann::ordered_json::parse(text, nullptr, false);
}

bool is_modest_json(std::string_view text, std::size_t most_values, std::size_t most_depth) {
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
        // Each value stands behind a bracket, a comma or a colon.
        values += c == '{' || c == '[' || c == ',' || c == ':';
        depth += c == '{' || c == '[';
        depth -= (c == '}' || c == ']') && depth > 0;
        if (values > most_values || depth > most_depth) return false;
    }
    return true;
}

std::string json_text(const nlohmann::json& value, int indent) {
    return written(value, indent);
}

std::string json_text(const nlohmann::ordered_json& value, int indent) {
    return written(value, indent);
}

}  // namespace cudash
