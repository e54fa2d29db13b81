// *first becomes the smallest i with x[i] == wanted; it is n before.
__global__ void find(const int* x, int n, int wanted, int* first) {
    // Your code.
}
