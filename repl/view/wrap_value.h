// A value of a cell in lines that a terminal has room for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cudash::view {

/// `text` in lines of at most `columns` (0: any), broken behind commas outside of quotation marks; what is longer stays
/// as it is.
std::string wrap_value(std::string_view text, std::size_t columns);

}  // namespace cudash::view
