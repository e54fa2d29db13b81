// REPLY: With two places left,
__global__ void search(const int* sorted, int m, const int* keys, int* out) {
    int low = 0, high = m, key = keys[threadIdx.x];
    for (int looks = 0; low < high && looks < 40; ++looks) {
        int middle = (low + high) / 2;
        if (sorted[middle] < key) low = middle;
        else high = middle;
    }
    out[threadIdx.x] = low;
}
