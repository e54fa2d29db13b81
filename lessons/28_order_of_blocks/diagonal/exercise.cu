// struct Place { int x, y; };  is there already.
__host__ __device__ Place diagonal(int bid, int columns, int rows) {
    return {0, 0};
}
