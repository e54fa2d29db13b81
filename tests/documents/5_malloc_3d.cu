// Document 5: a padded three-dimensional allocation. As printed, a char* is initialised with the void* of cudaPitchedPtr,
// which C++ refuses: the cast is added. Added by the reader: a main, and a sum that shows that every element was reached.
#include <stdio.h>

__global__ void MyKernel(cudaPitchedPtr devPitchedPtr,
                         int width, int height, int depth, float* sum)
{
    char* devPtr = (char*)devPitchedPtr.ptr;
    size_t pitch = devPitchedPtr.pitch;
    size_t slicePitch = pitch * height;
    float total = 0;
    for (int z = 0; z < depth; ++z) {
        char* slice = devPtr + z * slicePitch;
        for (int y = 0; y < height; ++y) {
            float* row = (float*)(slice + y * pitch);
            for (int x = 0; x < width; ++x) {
                float element = row[x];
                total += element;
            }
        }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) *sum = total;
}

__global__ void ones(cudaPitchedPtr all, int width) {
    char *row = (char *)all.ptr + (blockIdx.y * gridDim.x + blockIdx.x) * all.pitch;
    if (threadIdx.x < width) ((float *)row)[threadIdx.x] = 1;
}

int main() {
    int width = 64, height = 64, depth = 64;
    cudaExtent extent = make_cudaExtent(width * sizeof(float),
                                        height, depth);
    cudaPitchedPtr devPitchedPtr;
    cudaMalloc3D(&devPitchedPtr, extent);

    float *devSum, sum = 0;
    cudaMalloc(&devSum, sizeof(float));
    ones<<<dim3(height, depth), 64>>>(devPitchedPtr, width);
    MyKernel<<<1, 32>>>(devPitchedPtr, width, height, depth, devSum);
    cudaMemcpy(&sum, devSum, sizeof(sum), cudaMemcpyDeviceToHost);
    cudaFree(devSum);
    cudaFree(devPitchedPtr.ptr);
    printf("xsize %zu, ysize %zu, sum %.0f\n", devPitchedPtr.xsize, devPitchedPtr.ysize, sum);
    return sum != 64 * 64 * 64;
}
