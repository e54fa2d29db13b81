#include "repl/notebook/characters.h"

#include <algorithm>

namespace cudash::notebook {
namespace {

bool begins_character(char byte) {
    return (byte & 0xC0) != 0x80;
}

}  // namespace

std::size_t byte_of(std::string_view text, int count) {
    if (count < 0) return text.size();
    std::size_t at = 0;
    for (; at < text.size(); ++at)
        if (begins_character(text[at]) && count-- == 0) break;
    return at;
}

std::size_t characters_in(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

}  // namespace cudash::notebook
