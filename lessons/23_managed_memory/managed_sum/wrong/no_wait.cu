// REPLY: The host adds while the kernel may still be writing
int managed_sum(int n) {
    int* data;
    cudaMallocManaged(&data, n * sizeof(int));
    fill<<<(n + 255) / 256, 256>>>(data, n);
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += data[i];
    cudaDeviceSynchronize();
    cudaFree(data);
    return sum;
}
