// What a kernel gave, as text.
#pragma once

#include <string>

#include "tests/fuzz/differential/device.h"

namespace cudash::fuzz {

using Words = std::vector<std::uint64_t>;

std::string hash_of(const Words& words);
std::string describe(const Diagnostic& diagnostic);

}  // namespace cudash::fuzz
