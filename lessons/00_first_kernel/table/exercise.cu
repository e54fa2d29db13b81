// The element in column x and row y becomes (x + 1) * (y + 1).
__global__ void table(int* out, int width, int height) {
    // Your code.
}
