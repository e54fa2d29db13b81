// POINTS: 0
// FAILS: 256 numbers, one block
__global__ void sum(const int* data, int n, int* result) {}
