__device__ int base = 5;
__device__ int twice(int i) {
    return 2 * i;
}
static __device__ int offset = 1000;
static __global__ void helper(int* p) {
    p[0] = offset;
}
int run_other(int* p) {
    int h = 0;
    helper<<<1, 1>>>(p);
    cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost);
    return h;
}
