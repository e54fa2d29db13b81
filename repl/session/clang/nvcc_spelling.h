// What nvcc takes and clang spells in another way: launches as editors format them, `add << <grid, block >> > (a)`,
// launches of one argument, `__device__ __shared__ int a[32];`, and `template int twice<int>(int);` of a template for
// the device.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace cudash::session {

/// "__host__ __device__ " of the function template of this name, among those that were read before; "" if it has none.
using SpacesOf = std::function<std::string(std::string_view)>;

/// The text with the brackets of launches joined; every line and column outside of them stays. `{4, 5}` among a
/// launch's arguments becomes `dim3{4, 5}`, and a single argument gets `, 1` behind it. A `__device__` beside
/// `__shared__` becomes blanks. An explicit instantiation gets the execution spaces of its template. nullopt if nothing
/// is to be changed.
std::optional<std::string> as_clang_spells(std::string_view text, const SpacesOf& spaces_of = {});

}  // namespace cudash::session
