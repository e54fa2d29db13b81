// Multiplies each of the n elements by 3.
__global__ void triple(int* data, int n) {
    // Your code.
}
