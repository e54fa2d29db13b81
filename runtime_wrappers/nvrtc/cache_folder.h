// Folders below the user's cache, where what was compiled is kept between runs: one file an entry, named by the hash of
// what it was made from.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace cudash::nvrtc {

/// "~/.cache/cudash/KIND", or below XDG_CACHE_HOME; empty: there is no place for a cache.
std::filesystem::path cache_folder(std::string_view kind);

/// Makes `entry` by `write(path)`, which says whether it went well: beside it, then renamed, so that others see all of
/// it or nothing. Old entries go when the folder has more than 256 MiB. Failures are no error.
bool store_entry(const std::filesystem::path& entry, const std::function<bool(const std::filesystem::path&)>& write);

/// It was used: it is not the next one to go.
void touch_entry(const std::filesystem::path& entry);

}  // namespace cudash::nvrtc
