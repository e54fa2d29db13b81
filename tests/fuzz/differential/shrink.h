// Makes a failing kernel smaller: drops statements for as long as it still fails.
#pragma once

#include <functional>

#include "tests/fuzz/differential/kernel.h"

namespace cudash::fuzz {

/// The smallest kernel found for which `fails` still holds; asks it at most `most_tries` times.
Kernel shrink(Kernel kernel, const std::function<bool(const Kernel&)>& fails, unsigned most_tries = 400);

}  // namespace cudash::fuzz
