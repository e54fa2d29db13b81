// ATTACK: declares four gigabytes
// STOPS: memory of the worker
// POINTS: 0
// FAILS: the sums
__device__ int gigabytes[1ull << 30];
__global__ void add_up(int* out, const int* in, int n) { out[threadIdx.x] = gigabytes[threadIdx.x]; }
