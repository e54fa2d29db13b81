// Where two arrays differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repl/view/array.h"

namespace cudash::view {

/// The elements that differ by more than a tolerance: the first of them with their neighbors, and the largest error.
struct Difference {
    struct Row {
        std::string index, a, b, error;
        bool differs = false;
    };
    std::vector<Row> rows;  ///< one with the index "..." stands for what is left out
    std::uint64_t count = 0, differing = 0, shown = 0;
    double tolerance = 0, largest = 0;
    std::string largest_at;

    bool is_none() const { return differing == 0; }
    /// "3 of 8 elements differ; the largest difference is 2 at [3]": how :diff ends.
    std::string sentence() const;
};

/// nullopt: memory can't be read. The arrays have the same number of elements of one scalar each, or the same elements.
std::optional<Difference> compare(const Array& a, const Array& b, double tolerance);

/// What `:diff` says.
std::string print(const Difference& difference, const Screen& screen);

}  // namespace cudash::view
