// ATTACK: reads itself without end
// POINTS: 0
// FAILS: compiles
#include __FILE__
__global__ void add_up(int* out, const int* in, int n) {}
