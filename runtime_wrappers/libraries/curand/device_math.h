// Functions of CUDA's device library as machine code computes them, bit by bit: what the transforms of cuRAND use. The
// order of operations and the coefficients are those of the PTX that nvcc 13.0 makes of logf(), expf(), log(), exp()
// and sincospi() for sm_90. Operands are those that the transforms have: finite, and positive for logarithms.
#pragma once

namespace cudash::libraries::curand {

float log_of(float x);
double log_of(double x);
float exp_of(float x);
double exp_of(double x);

template <class T>
struct SineCosine {
    T sine, cosine;
};
/// __sincosf(): the special function unit.
SineCosine<float> fast_sine_cosine(float x);
/// sincospi(): of pi * x, 0 <= x <= 2.
SineCosine<double> sine_cosine_of_pi(double x);

}  // namespace cudash::libraries::curand
