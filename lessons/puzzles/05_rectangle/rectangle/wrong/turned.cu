// REPLY: let `threadIdx.x` count columns
__global__ void rectangle(int* out, int width, int height) {
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    int x = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[y * width + x] = 3 * (y * width + x);
}
