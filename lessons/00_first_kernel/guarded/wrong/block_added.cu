// REPLY: Which element does thread 0 of block 1 change
__global__ void triple(int* data, int n) {
    int i = blockIdx.x + threadIdx.x;
    if (i < n) atomicAdd(&data[i], 2 * data[i]);
}
