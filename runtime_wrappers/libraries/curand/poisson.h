// Poisson-distributed numbers with a large mean: normally distributed ones, rounded.
#pragma once

#include <cstdint>
#include <span>

#include "runtime_wrappers/libraries/curand/sequences.h"

namespace cudash::libraries::curand {

/// From this mean on (found by comparing the toolkit's library with its own normally distributed numbers).
inline constexpr double least_normal_lambda = 2000;
/// "lambda [...] less than or equal to 400,000": others are refused.
inline constexpr double largest_lambda = 400000;

/// The numbers of a generator that begins. Each lane takes its normally distributed numbers one by one, not in pairs.
void normal_poisson(Engine engine, Lanes lanes, std::uint64_t seed, std::span<unsigned> results, double lambda);

}  // namespace cudash::libraries::curand
