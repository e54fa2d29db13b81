// REPLY: The height is the
__global__ void rectangle(int* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[y * height + x] = 3 * (y * height + x);
}
