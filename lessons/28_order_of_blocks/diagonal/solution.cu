__host__ __device__ Place diagonal(int bid, int columns, int rows) {
    int y = bid % rows;
    int x = (bid / rows + y) % columns;
    return {x, y};
}
