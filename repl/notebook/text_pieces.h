// What a program writes, as text: it comes in pieces that end anywhere, and may be anything.
#pragma once

#include <string>
#include <string_view>

namespace cudash::notebook {

class TextPieces {
public:
    /// The characters that are whole so far. What is not UTF-8 becomes U+FFFD, as do zero bytes.
    std::string take(std::string_view bytes);
    /// At the end: what no more bytes come for.
    std::string rest();

private:
    std::string cut_;  ///< the beginning of a character
};

}  // namespace cudash::notebook
