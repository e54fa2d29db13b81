// POINTS: 6
// FAILS: all threads take part
// REPLY: One thread does all the work. How many threads does a block have, and
__global__ void sum(const int* data, int n, int* result) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    int all = 0;
    for (int i = 0; i < n; ++i) all += data[i];
    *result = all;
}
