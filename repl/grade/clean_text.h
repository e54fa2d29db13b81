// What a stranger's code made a worker say, as text that any platform reads.
#pragma once

#include <string>
#include <string_view>

namespace cudash::grade {

/// Valid UTF-8 without control characters but line ends and tabs, no longer than a result should be, and without the
/// random names of scratch folders.
std::string clean_text(std::string_view text);

}  // namespace cudash::grade
