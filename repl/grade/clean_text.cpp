#include "repl/grade/clean_text.h"

#include <algorithm>

#include "repl/grade/scratch_folder.h"

namespace cudash::grade {
namespace {

constexpr std::size_t most_bytes = 16 * 1024;

/// The bytes of the UTF-8 sequence that `text` begins with; 0: it begins with none.
std::size_t sequence_length(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xf0 && lead < 0xf5   ? 4
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                                                             : 0;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
    const auto second = static_cast<unsigned char>(text[1]);
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) || (lead == 0xf0 && second < 0x90) ||
        (lead == 0xf4 && second >= 0x90))
        return 0;
    return length;
}

void replace_all(std::string& text, std::string_view what, std::size_t more, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, std::min(what.size() + more, text.size() - at), by);
}

}  // namespace

std::string clean_text(std::string_view text) {
    const bool cut = text.size() > most_bytes;
    text = text.substr(0, most_bytes);
    std::string result;
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        const auto c = static_cast<unsigned char>(text[0]);
        if (length == 0 || (length == 1 && (c < 0x20 || c == 0x7f) && c != '\n' && c != '\t'))
            result += "\xef\xbf\xbd";  // U+FFFD, the replacement character
        else
            result += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    if (cut) result += "\n... and more\n";
    replace_all(result, scratch_prefix(), 6, ".");
    return result;
}

}  // namespace cudash::grade
