// Given:  __global__ void produce(int *data)                       writes one element for each thread
//         __global__ void consume(const int *data, int *sum, int n)  adds n elements up, in one block of 256 threads
cudaError_t hand_over(cudaStream_t a, cudaStream_t b, int* data, int* sum, int n) {
    produce<<<n / 256, 256, 0, a>>>(data);
    consume<<<1, 256, 0, b>>>(data, sum, n);
    return cudaGetLastError();
}
