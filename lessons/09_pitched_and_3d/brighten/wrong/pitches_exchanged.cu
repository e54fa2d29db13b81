// REPLY: One of your pitches isn't the distance between the rows of that memory
// Adds `amount` to each element of a pitched image.
__global__ void add(float* image, size_t pitch, int width, int height, float amount) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float* row = (float*)((char*)image + y * pitch);
    row[x] += amount;
}

// Brightens the packed image h, which is on the host. Returns the first status that is not cudaSuccess.
cudaError_t brighten(float* h, int width, int height, float amount) {
    size_t bytes = width * sizeof(float), pitch;
    float* d;
    cudaError_t status = cudaMallocPitch(&d, &pitch, bytes, height);
    if (status != cudaSuccess) return status;
    status = cudaMemcpy2D(d, bytes, h, pitch, bytes, height, cudaMemcpyHostToDevice);
    if (status == cudaSuccess) {
        add<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(d, pitch, width, height, amount);
        status = cudaGetLastError();
    }
    if (status == cudaSuccess) status = cudaMemcpy2D(h, pitch, d, bytes, bytes, height, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return status;
}
