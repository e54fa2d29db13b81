// ATTACK: a text in another encoding
// POINTS: 0
// FAILS: compiles
__global__ void add_up(int* out, const int* in, int n) {} // ÿþé
