#include "repl/grade/clean_text.h"

#include <algorithm>

#include "repl/grade/names.h"
#include "repl/grade/scratch_folder.h"

namespace cudash::grade {
namespace {

constexpr std::size_t most_bytes = 16 * 1024;

/// The random part of a scratch folder's name (mkdtemp).
constexpr std::size_t random_characters = 6;

bool is_alphanumeric(unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void hide_scratch_folders(std::string& text) {
    const std::string prefix = scratch_prefix();
    for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos; ++at) {
        const std::string_view name = std::string_view(text).substr(at + prefix.size(), random_characters);
        if (name.size() == random_characters && std::ranges::all_of(name, is_alphanumeric))
            text.replace(at, prefix.size() + random_characters, ".");
    }
}

}  // namespace

std::string clean_text(std::string_view text) {
    const bool cut = text.size() > most_bytes;
    text = text.substr(0, most_bytes);
    std::string result;
    while (!text.empty()) {
        const std::size_t length = text[0] == '\n' || text[0] == '\t' ? 1 : printable_length(text);
        if (length == 0)
            result += "\xef\xbf\xbd";  // U+FFFD, the replacement character
        else
            result += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    if (cut) result += "\n... and more\n";
    hide_scratch_folders(result);
    return result;
}

}  // namespace cudash::grade
