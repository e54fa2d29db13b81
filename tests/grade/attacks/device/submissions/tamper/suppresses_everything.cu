// ATTACK: turns off all that a compiler says
// STOPS: wrong results are wrong results
// POINTS: 0
// FAILS: the sums
#pragma nv_diag_suppress 1
#pragma GCC diagnostic ignored "-Wall"
#pragma once
__global__ void add_up(int* out, const int* in, int n) { int unused; }
