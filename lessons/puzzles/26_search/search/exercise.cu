__global__ void search(const int* sorted, int m, const int* keys, int* out) {
    int low = 0, high = m;
    int key = keys[threadIdx.x];
    // Your code.
    out[threadIdx.x] = low;
}
