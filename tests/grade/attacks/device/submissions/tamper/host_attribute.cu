// ATTACK: asks for a host function that runs early
// STOPS: the compiler refuses it
// POINTS: 0
// FAILS: compiles
__host__ __attribute__((constructor)) void early() { __builtin_trap(); }
__global__ void add_up(int* out, const int* in, int n) {}
