#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace cudash::shell {

/// The candidate that `word` was probably meant to be: the nearest within a third of its length of typing mistakes.
std::optional<std::string_view> suggest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace cudash::shell
