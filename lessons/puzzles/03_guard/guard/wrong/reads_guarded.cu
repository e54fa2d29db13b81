// REPLY: A thread without an
__global__ void guard(const int* in, int* out, int n) {
    int i = threadIdx.x;
    int x = i < n ? in[i] : 0;
    out[i] = x * 2;
}
