// A part of a class: one of several ranges of its submissions, in the order of their names.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace cudash::grade {

struct Shard {
    unsigned index = 1, count = 1;  ///< index: from 1

    /// The first submission of the shard, and the one behind its last, of `all`. Shards differ by one submission at
    /// most.
    std::pair<std::size_t, std::size_t> range(std::size_t all) const {
        return {all * (index - 1) / count, all * index / count};
    }
};

inline constexpr unsigned most_shards = 100000;

/// "I/N"; nullopt: that is none.
std::optional<Shard> parse_shard(std::string_view text);

}  // namespace cudash::grade
