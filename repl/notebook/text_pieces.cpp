#include "repl/notebook/text_pieces.h"

#include <cstddef>
#include <utility>

namespace cudash::notebook {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// The bytes of a well-formed character at the front (Unicode 15, table 3-7); 0: there is none; -1: it may go on.
int character_size(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char first = byte(0);
    if (first != 0 && first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    const std::size_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    for (std::size_t at = 1; at < size; ++at) {
        if (at == text.size()) return -1;
        if (byte(at) < (at == 1 ? low : 0x80) || byte(at) > (at == 1 ? high : 0xBF)) return 0;
    }
    return static_cast<int>(size);
}

}  // namespace

std::string TextPieces::take(std::string_view bytes) {
    std::string joined;
    if (!cut_.empty()) {
        joined = std::exchange(cut_, {}) + std::string(bytes);
        bytes = joined;
    }
    std::string text;
    text.reserve(bytes.size());
    while (!bytes.empty()) {
        const int size = character_size(bytes);
        if (size < 0) {
            cut_ = bytes;
            break;
        }
        text += size == 0 ? replacement : bytes.substr(0, static_cast<std::size_t>(size));
        bytes.remove_prefix(size == 0 ? 1 : static_cast<std::size_t>(size));
    }
    return text;
}

std::string TextPieces::rest() {
    return std::exchange(cut_, {}).empty() ? std::string() : std::string(replacement);
}

}  // namespace cudash::notebook
