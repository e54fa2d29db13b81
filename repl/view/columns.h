// How wide text is in a terminal.
#pragma once

#include <cstddef>
#include <string_view>

namespace cudash::view {

/// Terminal columns that UTF-8 text takes; a character that the locale does not know takes one.
std::size_t columns_of(std::string_view text);

}  // namespace cudash::view
