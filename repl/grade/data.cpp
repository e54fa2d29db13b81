#include "repl/grade/data.h"

namespace cudash::grade {

Bytes Input::make(std::uint64_t seed, std::string_view check) const {
    if (random) return random_values(*type, count, random->first, random->second, seed_of(seed, check, name));
    if (counted) return counted_values(*type, count, counted->first, counted->second);
    return values;
}

}  // namespace cudash::grade
