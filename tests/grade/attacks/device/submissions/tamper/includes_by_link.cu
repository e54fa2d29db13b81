// ATTACK: includes a file through /proc
// POINTS: 0
// FAILS: compiles
#include "/proc/self/root/etc/passwd"
__global__ void add_up(int* out, const int* in, int n) {}
