// JSON. The parser and the writer of nlohmann's library take long to compile: json.cpp alone does it.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cudash {

/// Discarded (`is_discarded()`, and `at()` throws json::type_error) if `text` is not JSON.
nlohmann::json parse_json(std::string_view text);
/// The same; members keep the order of the text.
nlohmann::ordered_json parse_ordered_json(std::string_view text);
/// Whether JSON of strangers takes a bounded amount of memory and of stack. A value takes some 50 bytes where its text
/// may take two, so values are counted before they are made. Text behind a zero byte is not looked at.
bool is_modest_json(std::string_view text, std::size_t most_values, std::size_t most_depth);

/// On one line, or with `indent` spaces a level. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::json& value, int indent = -1);
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace cudash
