__constant__ float weights[5];

// Copies five floats to `weights`.
cudaError_t set_weights(const float* w) {
    return cudaSuccess;
}

// Pitches are the bytes from row to row.
__global__ void blur_rows(float* out, size_t out_pitch, const float* in, size_t in_pitch, int width, int height) {}
