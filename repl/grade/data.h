// What a check puts into the harness's arrays before its cell runs, and what it demands of those that come back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "repl/grade/values.h"

namespace cudash::grade {

/// [[check.input]]
struct Input {
    std::string name;  ///< an array or pointer of the harness: an expression
    const ElementType* type = nullptr;
    std::size_t count = 0;
    std::optional<std::pair<double, double>> random;   ///< from, to
    std::optional<std::pair<double, double>> counted;  ///< first, step
    Bytes values;                                      ///< otherwise: as they are listed, or in a file

    /// `seed`: the assignment's; each run of each check has other random numbers.
    Bytes make(const Key& seed, std::string_view check, unsigned run) const;
};

/// [[check.result]]
struct ResultDemand {
    std::string name;
    const ElementType* type = nullptr;
    std::size_t count = 0, columns = 0;
    Tolerance tolerance;
    Bytes values;  ///< empty: those that the solution gives
};

/// What the solution gave, by check and name. Made once for an assignment, on the grader's side alone.
struct References {
    std::map<std::string, Bytes> values;
    std::map<std::string, std::string> outputs;
    std::map<std::string, double> metrics;
};

}  // namespace cudash::grade
