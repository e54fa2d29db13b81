// ATTACK: includes a file through /proc
// STOPS: host headers and unknown files are left out; Landlock; file tree
// POINTS: 0
// FAILS: the sums
#include "/proc/self/root/etc/passwd"
__global__ void add_up(int* out, const int* in, int n) {}
