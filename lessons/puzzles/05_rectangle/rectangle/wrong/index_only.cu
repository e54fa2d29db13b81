// REPLY: If x is too
__global__ void rectangle(int* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y * width + x < width * height) out[y * width + x] = 3 * (y * width + x);
}
