// REPLY: Which element does thread (1, 0) of block (1, 0) write
__global__ void table(int* out, int width, int height) {
    int x = threadIdx.x;
    int y = threadIdx.y;
    if (x < width && y < height) out[y * width + x] = (x + 1) * (y + 1);
}
