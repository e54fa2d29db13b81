// Rows that begin at round addresses: cudaMallocPitch and cudaMalloc3D pad each row, and only the pitch that they
// return knows how far rows are apart. Pitches and widths of copies are bytes; heights and depths are counts.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

// Ends the program at the first call that fails.
void end_unless_success(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s gave %s\n", line, call, cudaGetErrorName(status));
    exit(1);
}
#define CHECK(call) end_unless_success(call, #call, __LINE__)

// The pitch counts bytes, so it is added to a pointer to bytes.
__device__ float* row_of(void* base, size_t pitch, int y) {
    return (float*)((char*)base + y * pitch);
}

__global__ void brighten(float* image, size_t pitch, int width, int height, float by) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) row_of(image, pitch, y)[x] += by;
}

// Two slices are `height` rows apart, padding included.
__global__ void brighten_box(cudaPitchedPtr box, int width, int height, int depth, float by) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    for (int z = 0; z < depth; ++z) row_of(box.ptr, box.pitch, z * height + y)[x] += by;
}

dim3 blocks(int width, int height, dim3 block) {
    return dim3((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
}

int check_image() {
    const int width = 100, height = 60;
    const size_t row_bytes = width * sizeof(float);
    std::vector<float> host(width * height);
    for (size_t i = 0; i < host.size(); ++i) host[i] = float(i);
    float* image;
    size_t pitch;
    CHECK(cudaMallocPitch(&image, &pitch, row_bytes, height));
    // The host's rows lie without gaps: their pitch is their width.
    CHECK(cudaMemcpy2D(image, pitch, host.data(), row_bytes, row_bytes, height, cudaMemcpyHostToDevice));
    const dim3 block(32, 8);
    brighten<<<blocks(width, height, block), block>>>(image, pitch, width, height, 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy2D(host.data(), row_bytes, image, pitch, row_bytes, height, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(image));
    int wrong = pitch < row_bytes || pitch % sizeof(float) != 0;
    for (size_t i = 0; i < host.size(); ++i) wrong += host[i] != float(i + 1);
    printf("brighten: %d wrong\n", wrong);
    return wrong;
}

int check_box() {
    const int width = 50, height = 20, depth = 10;
    std::vector<float> host(width * height * depth);
    for (size_t i = 0; i < host.size(); ++i) host[i] = float(i);
    const cudaExtent extent = make_cudaExtent(width * sizeof(float), height, depth);  // a width in bytes
    cudaPitchedPtr box;
    CHECK(cudaMalloc3D(&box, extent));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host.data(), width * sizeof(float), width, height);
    copy.dstPtr = box;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    const dim3 block(32, 8);
    brighten_box<<<blocks(width, height, block), block>>>(box, width, height, depth, 1);
    CHECK(cudaGetLastError());

    // A part of the box: four columns of three rows of two slices. Positions along x are bytes, too.
    const int x0 = 5, y0 = 7, z0 = 3, columns = 4, rows = 3, slices = 2;
    float part[slices][rows][columns];
    cudaMemcpy3DParms some = {};
    some.srcPtr = box;
    some.srcPos = make_cudaPos(x0 * sizeof(float), y0, z0);
    some.dstPtr = make_cudaPitchedPtr(part, columns * sizeof(float), columns, rows);
    some.extent = make_cudaExtent(columns * sizeof(float), rows, slices);
    some.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&some));
    CHECK(cudaFree(box.ptr));
    int wrong = 0;
    for (int z = 0; z < slices; ++z)
        for (int y = 0; y < rows; ++y)
            for (int x = 0; x < columns; ++x)
                wrong += part[z][y][x] != host[((z0 + z) * height + y0 + y) * width + x0 + x] + 1;
    printf("brighten_box, a part: %d wrong\n", wrong);
    return wrong;
}

int main() {
    const int wrong = check_image() + check_box();
    return wrong != 0;
}
