// REPLY: its own element of `b`
__global__ void zip(const int* a, const int* b, int* out) {
    out[threadIdx.x] = a[threadIdx.x] + b[0];
}
