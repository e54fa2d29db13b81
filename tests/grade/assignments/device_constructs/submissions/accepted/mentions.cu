// It mentions atomicAdd, and names things like it; the shared memory is behind a macro.
#define TILE(type, name) __shared__ type name[256]
#if 0
__device__ void count(int* n) { atomicAdd(n, 1); }
#endif
__device__ const char* about = "without atomicAdd or atom.global.add";
__device__ int atomicNumber(int of) { return of; }
__global__ void rotate(int* data, int n, int shift) {
    TILE(int, tile);
    const int atomicMass = threadIdx.x;
    if (atomicMass < n) tile[atomicMass] = data[atomicMass];
    __syncthreads();  // no atomicExch needed
    if (atomicMass < n) data[atomicMass] = atomicNumber(tile[(atomicMass + shift) % n]);
}
