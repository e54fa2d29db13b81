// REPLY: You rounded down, so the last elements have no thread
int managed_sum(int n) {
    int* data;
    cudaMallocManaged(&data, n * sizeof(int));
    cudaMemset(data, 0, n * sizeof(int));
    fill<<<n / 256, 256>>>(data, n);
    cudaDeviceSynchronize();
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += data[i];
    cudaFree(data);
    return sum;
}
