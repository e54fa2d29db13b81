// What nvcc takes and clang spells in another way: launches as editors format them, `add << <grid, block >> > (a)`, and
// `__device__ __shared__ int a[32];`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cudash::session {

/// The text with the brackets of launches joined; every line and column outside of them stays. `{4, 5}` among a
/// launch's arguments becomes `dim3{4, 5}`. A `__device__` beside `__shared__` becomes blanks. nullopt if nothing is to
/// be changed.
std::optional<std::string> as_clang_spells(std::string_view text);

}  // namespace cudash::session
