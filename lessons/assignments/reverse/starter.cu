__global__ void reverse(int* data, int n) {
    extern __shared__ int s[];
    // Your code.
}
