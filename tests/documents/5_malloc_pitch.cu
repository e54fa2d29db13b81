// Document 5: a padded two-dimensional allocation and a kernel that walks over it. Added by the reader: a main and a
// check of what the listing leaves to be seen: the pitch, and that the walk stays inside the allocation.
#include <stdio.h>

__global__ void MyKernel(float* devPtr,
                         size_t pitch, int width, int height)
{
    for (int r = 0; r < height; ++r) {
        float* row = (float*)((char*)devPtr + r * pitch);
        for (int c = 0; c < width; ++c) {
            float element = row[c];
        }
    }
}

int main() {
    int width = 64, height = 64;
    float* devPtr;
    size_t pitch;
    cudaMallocPitch(&devPtr, &pitch,
                    width * sizeof(float), height);
    MyKernel<<<100, 512>>>(devPtr, pitch, width, height);

    cudaError_t error = cudaDeviceSynchronize();
    bool holdsRow = pitch >= width * sizeof(float), aligned = pitch % 32 == 0;
    printf("%s, a row fits: %s, rows start aligned: %s\n", cudaGetErrorName(error), holdsRow ? "yes" : "no",
           aligned ? "yes" : "no");
    cudaFree(devPtr);
    return !(error == cudaSuccess && holdsRow && aligned);
}
