// x[i] becomes x[i + 1] for all i < n - 1. One block of 256 threads, n <= 256.
__global__ void shift_left(int* x, int n) {
    int i = threadIdx.x;
    if (i < n - 1) x[i] = x[i + 1];
}
