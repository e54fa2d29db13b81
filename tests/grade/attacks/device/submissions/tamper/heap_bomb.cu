// ATTACK: takes the device heap
// STOPS: memory of the worker
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {
    for (int i = 0; i < 100000; ++i) {
        int* block = (int*)malloc(65536);
        if (block) block[threadIdx.x] = i;
    }
}
