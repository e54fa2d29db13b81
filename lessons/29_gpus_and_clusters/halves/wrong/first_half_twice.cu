// REPLY: Both devices get the first half
void scale_halves(int* host, int n, int factor) {
    int* part[2];
    int half = n / 2;
    for (int k = 0; k < 2; ++k) {
        cudaSetDevice(k);
        cudaMalloc(&part[k], half * sizeof(int));
        cudaMemcpy(part[k], host, half * sizeof(int), cudaMemcpyHostToDevice);
        scale<<<(half + 255) / 256, 256>>>(part[k], half, factor);
    }
    for (int k = 0; k < 2; ++k) {
        cudaSetDevice(k);
        cudaMemcpy(host + half * k, part[k], half * sizeof(int), cudaMemcpyDeviceToHost);
        cudaFree(part[k]);
    }
    cudaSetDevice(0);
}
