// Given:  __constant__ float weights[5];
__global__ void blur_transpose(float* out, size_t out_pitch, const float* in, size_t in_pitch, int width, int height) {
    __shared__ float tile[32][36];
}
