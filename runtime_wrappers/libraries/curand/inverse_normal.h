// Normally distributed numbers of one word each, as the device makes them from Sobol's sequences and from Mersenne
// twisters: bit by bit.
#pragma once

#include <cstdint>

namespace cudash::libraries::curand {

float inverse_normal(std::uint32_t word);
double inverse_normal_double(std::uint32_t word);
double inverse_normal_double(std::uint64_t word);

}  // namespace cudash::libraries::curand
