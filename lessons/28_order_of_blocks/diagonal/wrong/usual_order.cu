// REPLY: that is the usual order. How must the row change from block to block?
__host__ __device__ Place diagonal(int bid, int columns, int rows) {
    int y = bid / columns;
    int x = bid % columns;
    return {x, y};
}
