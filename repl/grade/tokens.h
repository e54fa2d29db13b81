// The words of a text in C++, without comments: what can be told of a submission before it runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::grade {

struct Token {
    enum class Kind : std::uint8_t { word, number, text, sign, include };
    Kind kind;
    std::string_view text;  ///< of `include`: the header's name
    unsigned line;
};

/// The tokens of `text`, which must outlive them. Lines that begin with # are tokens, too, but for #include, which is
/// one of its own.
std::vector<Token> tokens_of(std::string_view text);

}  // namespace cudash::grade
