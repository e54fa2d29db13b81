// Where allocations lie, drawn.
#pragma once

#include <string>
#include <vector>

#include "repl/session/outcome.h"
#include "repl/view/array.h"

namespace cudash::view {

/// Allocations that lie near each other.
struct MemoryRegion {
    std::size_t first = 0, last = 0;  ///< indices, `last` excluded
    std::uint64_t begin = 0, end = 0;
};
std::vector<MemoryRegion> regions_of(const std::vector<session::MemoryRange>& ranges);

/// A bar for each region of addresses that holds allocations, each allocation with the letter of its kind, and what the
/// letters mean. `ranges` are in the order of addresses; of none, nothing is drawn.
std::string print_memory_map(const std::vector<session::MemoryRange>& ranges, const Screen& screen);

}  // namespace cudash::view
