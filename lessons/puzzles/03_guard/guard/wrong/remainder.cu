// REPLY: They should do nothing
__global__ void guard(const int* in, int* out, int n) {
    int i = threadIdx.x % n;
    out[i % n] = in[i % n] * 2;
}
