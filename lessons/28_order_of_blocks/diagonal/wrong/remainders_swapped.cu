// REPLY: Look at what each of your remainders is divided by.
__host__ __device__ Place diagonal(int bid, int columns, int rows) {
    int y = bid % columns;
    int x = (bid / columns + y) % rows;
    return {x, y};
}
