// ATTACK: includes a device that never ends
// STOPS: host headers and unknown files are left out; Landlock; file tree
// POINTS: 0
// FAILS: the sums
#include "/dev/zero"
__global__ void add_up(int* out, const int* in, int n) {}
