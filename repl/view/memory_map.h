// Where allocations lie, drawn.
#pragma once

#include <string>
#include <vector>

#include "repl/session/outcome.h"
#include "repl/view/array.h"

namespace cudash::view {

/// A bar for each region of addresses that holds allocations, each allocation with the letter of its kind, and what the
/// letters mean. `ranges` are in the order of addresses; of none, nothing is drawn.
std::string print_memory_map(const std::vector<session::MemoryRange>& ranges, const Screen& screen);

}  // namespace cudash::view
