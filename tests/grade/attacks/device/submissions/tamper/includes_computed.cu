// ATTACK: reads files at compile time, by a name that is computed
// STOPS: host headers and unknown files are left out; Landlock; file tree
// POINTS: 0
// FAILS: compiles
#define SECRET "/tmp/cudash-attack-secret"
#include SECRET
__global__ void add_up(int* out, const int* in, int n) {}
