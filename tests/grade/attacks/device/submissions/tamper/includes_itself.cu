// ATTACK: reads itself without end
// STOPS: the compiler refuses it
// POINTS: 0
// FAILS: compiles
#include __FILE__
__global__ void add_up(int* out, const int* in, int n) {}
