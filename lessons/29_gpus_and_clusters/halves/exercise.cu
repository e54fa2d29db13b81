// Device 0 scales the first half, device 1 the second.
void scale_halves(int* host, int n, int factor) {
    // Your code.
}
