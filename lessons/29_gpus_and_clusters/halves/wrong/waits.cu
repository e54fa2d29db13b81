// REPLY: The host waits for device 0 before device 1 gets work, so the devices take turns
void scale_halves(int* host, int n, int factor) {
    int* part[2];
    int half = n / 2;
    for (int k = 0; k < 2; ++k) {
        cudaSetDevice(k);
        cudaMalloc(&part[k], half * sizeof(int));
        cudaMemcpy(part[k], host + half * k, half * sizeof(int), cudaMemcpyHostToDevice);
        scale<<<(half + 255) / 256, 256>>>(part[k], half, factor);
        cudaDeviceSynchronize();
    }
    for (int k = 0; k < 2; ++k) {
        cudaSetDevice(k);
        cudaMemcpy(host + half * k, part[k], half * sizeof(int), cudaMemcpyDeviceToHost);
        cudaFree(part[k]);
    }
    cudaSetDevice(0);
}
