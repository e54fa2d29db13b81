__global__ void steps(const int* in, int* out) {
    int place = threadIdx.x, x = in[place];
    // Your code.
    if (threadIdx.x == 0) *out = place;
}
