// ATTACK: declares a gigabyte
// STOPS: memory of the worker
// POINTS: 0
// FAILS: the sums
__device__ int gigabyte[1 << 28];
__global__ void add_up(int* out, const int* in, int n) { out[threadIdx.x] = gigabyte[threadIdx.x]; }
