__global__ void row_sums(const int* in, int* out, int width) {
    const int* row = in + blockIdx.x * width;
    int sum = 0;
    for (int x = 0; x < width; ++x) sum += row[x];
    if (threadIdx.x == 0) out[blockIdx.x] = sum + 0 * threadIdx.x;
}
