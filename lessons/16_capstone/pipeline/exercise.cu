// Given:  blur_transpose<<<grid, dim3(32, 32)>>>(out, out_pitch, in, in_pitch, width, height), with its weights set
cudaError_t process(float* out, const float* in, int width, int height, int images) {
    return cudaSuccess;
}
