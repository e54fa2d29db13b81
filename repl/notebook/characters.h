// Places in a text, as the protocol counts them: in characters (Unicode code points), where strings here have bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace cudash::notebook {

/// The byte at which the character number `count` begins; the end, if there are not so many or `count` is negative.
std::size_t byte_of(std::string_view text, int count);
std::size_t characters_in(std::string_view text);

}  // namespace cudash::notebook
