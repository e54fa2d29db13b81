#include "repl/grade/shard.h"

#include <charconv>

namespace cudash::grade {

std::optional<Shard> parse_shard(std::string_view text) {
    Shard shard;
    const char* const end = text.data() + text.size();
    const auto index = std::from_chars(text.data(), end, shard.index);
    if (index.ec != std::errc() || index.ptr == end || *index.ptr != '/') return std::nullopt;
    const auto count = std::from_chars(index.ptr + 1, end, shard.count);
    if (count.ec != std::errc() || count.ptr != end) return std::nullopt;
    if (shard.index < 1 || shard.index > shard.count || shard.count > most_shards) return std::nullopt;
    return shard;
}

}  // namespace cudash::grade
