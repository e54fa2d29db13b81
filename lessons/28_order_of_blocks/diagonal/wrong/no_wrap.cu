// REPLY: Where should a diagonal go on when it runs out of the matrix on the right?
__host__ __device__ Place diagonal(int bid, int columns, int rows) {
    int y = bid % rows;
    int x = bid / rows + y;
    return {x, y};
}
