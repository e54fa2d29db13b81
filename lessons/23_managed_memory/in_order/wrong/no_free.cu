// REPLY: The result is right, but nothing frees the memory
void doubled_in_order(const int* in, int* out, int n, cudaStream_t s) {
    int* data;
    cudaMallocAsync(&data, n * sizeof(int), s);
    cudaMemcpyAsync(data, in, n * sizeof(int), cudaMemcpyHostToDevice, s);
    twice<<<(n + 255) / 256, 256, 0, s>>>(data, n);
    cudaMemcpyAsync(out, data, n * sizeof(int), cudaMemcpyDeviceToHost, s);

}
