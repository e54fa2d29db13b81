__global__ void two_ways(const int* in, int* out) {
    int i = threadIdx.x;
    out[i] = i % 2 == 0 ? twice(in[i]) : add_one(in[i]);
}
