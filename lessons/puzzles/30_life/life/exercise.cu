__global__ void life(const int* now, int* next) {
    int x = threadIdx.x, y = threadIdx.y;
    // Your code.
}
