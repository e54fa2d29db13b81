// ATTACK: declares more constants than there is room for
// STOPS: the compiler refuses it
// POINTS: 0
// FAILS: compiles
__constant__ int all[1 << 20];
__global__ void add_up(int* out, const int* in, int n) { out[threadIdx.x] = all[threadIdx.x]; }
