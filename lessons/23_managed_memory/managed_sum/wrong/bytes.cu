// REPLY: counts bytes
int managed_sum(int n) {
    int* data;
    cudaMallocManaged(&data, n);
    fill<<<(n + 255) / 256, 256>>>(data, n);
    cudaDeviceSynchronize();
    int sum = 0;
    for (int i = 0; i < n / 4; ++i) sum += data[i];
    cudaFree(data);
    return sum;
}
