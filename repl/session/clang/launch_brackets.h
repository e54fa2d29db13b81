// Launches as editors format them: `add << <grid, block >> > (a)`. nvcc takes the brackets apart or together; clang
// wants
// `<<<` and `>>>`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cudash::session {

/// The text with the brackets of launches joined; every line and column outside of them stays. `{4, 5}` among a
/// launch's arguments becomes `dim3{4, 5}`. nullopt if nothing is to be changed.
std::optional<std::string> with_joined_launches(std::string_view text);

}  // namespace cudash::session
