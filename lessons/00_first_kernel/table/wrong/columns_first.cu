// REPLY: The rows come one after the other in memory
__global__ void table(int* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = (x + 1) * (y + 1);
}
