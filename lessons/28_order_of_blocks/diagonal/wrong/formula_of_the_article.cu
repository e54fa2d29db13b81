// REPLY: This is the formula of the article
__host__ __device__ Place diagonal(int bid, int columns, int rows) {
    int block_x = bid % columns, block_y = bid / columns;
    int y = block_x;
    int x = (block_x + block_y) % columns;
    return {x, y};
}
