// ATTACK: reads files at compile time
// STOPS: host headers and unknown files are left out; Landlock; file tree
// POINTS: 0
// FAILS: the sums
#include "/tmp/cudash-attack-secret"
#include "/etc/passwd"
#include "solution.cu"
#include "../solution.cu"
__global__ void add_up(int* out, const int* in, int n) {}
