// ATTACK: reads files at compile time, by a name that is computed
// POINTS: 0
// FAILS: compiles
#define SECRET "/tmp/cudash-attack-secret"
#include SECRET
__global__ void add_up(int* out, const int* in, int n) {}
