__global__ void rectangle(int* out, int width, int height) {
    // Your code.
}
