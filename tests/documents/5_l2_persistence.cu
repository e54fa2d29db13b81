// Document 5, "L2 persistence example": the whole round of set-aside, window, kernels and reset. As printed, min is
// called with an int and a size_t, which is ambiguous: the cast is added. Added by the reader: the kernels, the data and
// a check that each kernel ran as often as the listing says.
#include <stdio.h>

__global__ void cuda_kernelA(int *data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void cuda_kernelB(int *data) { data[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
__global__ void cuda_kernelC(int *data) { data[blockIdx.x * blockDim.x + threadIdx.x] -= 5; }

int main() {
    int device_id = 0;
    const int grid_size = 64, block_size = 256, elements = grid_size * block_size;
    size_t num_bytes = elements * sizeof(int);
    int *data1, *data2;
    cudaMalloc(&data1, num_bytes);
    cudaMalloc(&data2, num_bytes);
    cudaMemset(data1, 0, num_bytes);
    cudaMemset(data2, 0, num_bytes);

    cudaStream_t stream;
    cudaStreamCreate(&stream);

    cudaDeviceProp prop;
    cudaGetDeviceProperties( &prop, device_id);
    size_t size = min( int(prop.l2CacheSize * 0.75) , prop.persistingL2CacheMaxSize );
    cudaDeviceSetLimit( cudaLimitPersistingL2CacheSize, size);

    size_t window_size = min(size_t(prop.accessPolicyMaxWindowSize), num_bytes);

    cudaStreamAttrValue stream_attribute;
    stream_attribute.accessPolicyWindow.base_ptr  = reinterpret_cast<void*>(data1);
    stream_attribute.accessPolicyWindow.num_bytes = window_size;
    stream_attribute.accessPolicyWindow.hitRatio  = 0.6;
    stream_attribute.accessPolicyWindow.hitProp   = cudaAccessPropertyPersisting;
    stream_attribute.accessPolicyWindow.missProp  = cudaAccessPropertyStreaming;

    cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &stream_attribute);

    for(int i = 0; i < 10; i++) {
        cuda_kernelA<<<grid_size,block_size,0,stream>>>(data1);
    }
    cuda_kernelB<<<grid_size,block_size,0,stream>>>(data1);

    stream_attribute.accessPolicyWindow.num_bytes = 0;
    cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &stream_attribute);
    cudaCtxResetPersistingL2Cache();

    cuda_kernelC<<<grid_size,block_size,0,stream>>>(data2);

    cudaStreamSynchronize(stream);
    int one = 0, two = 0;
    cudaMemcpy(&one, data1 + elements - 1, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&two, data2 + elements - 1, sizeof(int), cudaMemcpyDeviceToHost);
    cudaError_t error = cudaGetLastError();
    printf("data1 %d, data2 %d, %s\n", one, two, cudaGetErrorName(error));
    cudaStreamDestroy(stream);
    cudaFree(data1);
    cudaFree(data2);
    return !(one == 20 && two == -5 && error == cudaSuccess);
}
