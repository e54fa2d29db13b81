// REPLY: Does a diagonal have `columns` blocks or `rows` blocks?
__host__ __device__ Place diagonal(int bid, int columns, int rows) {
    int x = bid % columns;
    int y = (bid / columns + x) % rows;
    return {x, y};
}
