// REPLY: In C++, `^` is an operation on bits, not a power
__global__ void squares(int* out) {
    int i = threadIdx.x;
    out[i] = i ^ 2;
}
