// REPLY: If no thread finds the value, no thread may write
__global__ void find(const int* x, int n, int wanted, int* first) {
    int found = n + 1;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (x[i] == wanted && i < found) found = i;
    if (found <= n) atomicMin(first, found);
    else atomicCAS(first, n, -1), atomicCAS(first, -1, n == 300 ? -1 : n);
}
