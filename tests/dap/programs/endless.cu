__global__ void spin(volatile int* stop) {
    int turns = 0;
    while (*stop == 0)
        ++turns;
}

int main() {
    int* stop = nullptr;
    cudaMalloc(&stop, sizeof(int));
    cudaMemset(stop, 0, sizeof(int));
    spin<<<1, 1>>>(stop);
    return cudaDeviceSynchronize();
}
