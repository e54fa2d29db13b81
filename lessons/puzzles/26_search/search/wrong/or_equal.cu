// REPLY: equal to the key, too
__global__ void search(const int* sorted, int m, const int* keys, int* out) {
    int low = 0, high = m, key = keys[threadIdx.x];
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] <= key) low = middle + 1;
        else high = middle;
    }
    out[threadIdx.x] = low;
}
