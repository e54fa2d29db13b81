#include "repl/shell/suggest.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace cudash::shell {
namespace {

/// Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j)
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])}));
    }
    return row[b.size()];
}

}  // namespace

std::optional<std::string_view> suggest(std::string_view word, std::span<const std::string_view> candidates) {
    std::optional<std::string_view> best;
    std::size_t best_distance = word.size() / 3 + 2;
    for (const std::string_view candidate : candidates) {
        const std::size_t d =
            candidate.starts_with(word) && !word.empty() ? 1 : distance(word.substr(0, 64), candidate);
        if (d < best_distance) {
            best_distance = d;
            best = candidate;
        }
    }
    return best;
}

}  // namespace cudash::shell
