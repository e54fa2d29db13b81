// Long results, a screen at a time.
#pragma once

#include <string>
#include <string_view>

namespace cudash::view {

/// Shows `text` with the command `pager` if it has more lines than a terminal of `height` (0: no terminal). False: it
/// does not need one, or there is none.
bool page(std::string_view text, unsigned height, const std::string& pager);

}  // namespace cudash::view
