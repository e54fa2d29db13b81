// Where two arrays differ.
#pragma once

#include "repl/view/array.h"

namespace cudash::view {

/// What `:diff` says: how many elements differ by more than `tolerance`, the first of them with their neighbours, and
/// the largest error. False: memory can't be read. The arrays have the same number of elements of one scalar each, or
/// the same elements.
bool print_difference(const Array& a, const Array& b, double tolerance, const Screen& screen, std::string& text,
                      bool& same);

}  // namespace cudash::view
