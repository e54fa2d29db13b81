__global__ void guard(const int* in, int* out, int n) {
    int i = threadIdx.x;
    out[i] = in[i] * 2;
}
