// Makes new PTX texts of old ones: whole lines, words, modifiers and numbers are replaced, so that most results get
// past the parser. Deterministic: the same seed and texts give the same result.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::fuzz {

using Random = std::mt19937_64;

/// Words of PTX: mnemonics and modifiers from the virtual GPU's tables, directives, special registers.
const std::vector<std::string>& dictionary();

/// `text` after one to eight changes; `other` gives lines to copy. At most `most_bytes` long.
std::string mutate(std::string_view text, std::string_view other, std::size_t most_bytes, Random& random);

}  // namespace cudash::fuzz
