// REPLY: A step is in another stream, so nothing orders it
void doubled_in_order(const int* in, int* out, int n, cudaStream_t s) {
    int* data;
    cudaMallocAsync(&data, n * sizeof(int), s);
    cudaMemcpyAsync(data, in, n * sizeof(int), cudaMemcpyHostToDevice, s);
    twice<<<(n + 255) / 256, 256>>>(data, n);
    cudaMemcpyAsync(out, data, n * sizeof(int), cudaMemcpyDeviceToHost, s);
    cudaFreeAsync(data, s);
}
