// REPLY: `cudaMallocPitch` can't allocate 4 exabytes, and returns an error
// Adds `amount` to each element of a pitched image.
__global__ void add(float* image, size_t pitch, int width, int height, float amount) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float* row = (float*)((char*)image + y * pitch);
    row[x] += amount;
}

cudaError_t brighten(float* h, int width, int height, float amount) {
    size_t bytes = width * sizeof(float), pitch;
    float* d;
    cudaMallocPitch(&d, &pitch, bytes, height);
    cudaMemcpy2D(d, pitch, h, bytes, bytes, height, cudaMemcpyHostToDevice);
    add<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(d, pitch, width, height, amount);
    cudaMemcpy2D(h, bytes, d, pitch, bytes, height, cudaMemcpyDeviceToHost);
    return cudaFree(d);
}
