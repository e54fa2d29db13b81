// Moments, as people and file names write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cudash::grade {

/// Seconds since 1970 of "2026-11-29T23:59:00+01:00" (ISO 8601, with a zone: Z or +HH:MM; the seconds, `-` and `:` may
/// be left out). nullopt: it is none.
std::optional<std::int64_t> parse_moment(std::string_view text);
/// "2026-11-29T22:59:00Z"
std::string moment_text(std::int64_t seconds);

}  // namespace cudash::grade
