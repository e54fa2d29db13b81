__global__ void fill(int* p) {
    int i = threadIdx.x;
    p[i] = i;
}

int main() {
    int* p = nullptr;
    cudaMalloc(&p, 16 * sizeof(int));
    fill<<<1, 32>>>(p);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
