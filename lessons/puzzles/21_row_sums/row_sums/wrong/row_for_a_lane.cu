// REPLY: A *block* has a row
__global__ void row_sums(const int* in, int* out, int width) {
    const int* row = in + threadIdx.x * width;
    int sum = 0;
    for (int x = 0; x < width; ++x) sum += row[x];
    out[threadIdx.x] = sum;
}
