// ATTACK: includes the environment of the process
// STOPS: host headers and unknown files are left out; Landlock; file tree
// POINTS: 0
// FAILS: compiles
#include "/proc/self/environ"
__global__ void add_up(int* out, const int* in, int n) {}
