// Adds `amount` to each element of a pitched image.
__global__ void add(float* image, size_t pitch, int width, int height, float amount) {}

// Brightens the packed image h, which is on the host. Returns the first status that is not cudaSuccess.
cudaError_t brighten(float* h, int width, int height, float amount) {
    float* d;
    size_t pitch;
    // 1. pitched memory for height rows of width floats
    // 2. the packed rows of h go there
    // 3. one thread for each element, in blocks of 32 x 8
    // 4. the rows come back
    // 5. the memory is freed
    return cudaSuccess;
}
