// Arrays and textures of the driver API, and the block that fills a multiprocessor best.
#include <cstdio>
#include <cuda.h>
__global__ void look(cudaTextureObject_t texture, float* out) {
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 1.5f);
}
static int mistakes(CUresult status, CUresult expected) {
    if (status == expected) return 0;
    printf("%d, not %d\n", status, expected);
    return 1;
}
int main() {
    float host[3][4] = {{0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, 23}}, back[2][2] = {}, *out, seen[4];
    cudaMalloc(&out, sizeof seen);
    CUarray array = nullptr;
    CUDA_ARRAY_DESCRIPTOR description = {4, 3, CU_AD_FORMAT_FLOAT, 1};
    int wrong = mistakes(cuArrayCreate(&array, &description), CUDA_SUCCESS);
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = host;
    copy.srcPitch = sizeof host[0];
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = sizeof host[0];
    copy.Height = 3;
    wrong += mistakes(cuMemcpy2D(&copy), CUDA_SUCCESS);
    CUDA_MEMCPY2D part = {};
    part.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    part.srcArray = array;
    part.srcXInBytes = 2 * sizeof(float);
    part.srcY = 1;
    part.dstMemoryType = CU_MEMORYTYPE_HOST;
    part.dstHost = back;
    part.dstPitch = sizeof back[0];
    part.WidthInBytes = sizeof back[0];
    part.Height = 2;
    wrong += mistakes(cuMemcpy2D(&part), CUDA_SUCCESS);
    printf("%g %g %g %g\n", back[0][0], back[0][1], back[1][0], back[1][1]);
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC texture = {};
    CUtexObject object = 0;
    wrong += mistakes(cuTexObjectCreate(&object, &resource, &texture, nullptr), CUDA_SUCCESS);
    look<<<1, 4>>>(object, out);
    cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", seen[0], seen[1], seen[2], seen[3]);
    cudaKernel_t kernel;
    cudaGetKernel(&kernel, (const void*)look);
    int grid = 0, block = 0;
    wrong += mistakes(cuOccupancyMaxPotentialBlockSize(&grid, &block, (CUfunction)kernel, nullptr, 0, 256), CUDA_SUCCESS);
    printf("%d blocks of %d threads\n", grid, block);
    description.NumChannels = 3;
    CUarray none;
    wrong += mistakes(cuArrayCreate(&none, &description), CUDA_ERROR_INVALID_VALUE);
    wrong += mistakes(cuTexObjectDestroy(object), CUDA_SUCCESS);
    wrong += mistakes(cuArrayDestroy(array), CUDA_SUCCESS);
    cudaFree(out);
    printf("%d mistakes\n", wrong);
}
