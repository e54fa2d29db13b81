// REPLY: Columns are numbered from 0 to width - 1
__global__ void table(int* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= width && y < height) out[y * width + x] = (x + 1) * (y + 1);
}
