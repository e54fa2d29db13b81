// REPLY: Which part of `bid` tells the diagonals apart?
__host__ __device__ Place diagonal(int bid, int columns, int rows) {
    int y = bid % rows;
    int x = (bid + y) % columns;
    return {x, y};
}
