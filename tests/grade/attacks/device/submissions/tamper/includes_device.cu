// ATTACK: includes a device that never ends
// POINTS: 0
// FAILS: the sums
#include "/dev/zero"
__global__ void add_up(int* out, const int* in, int n) {}
