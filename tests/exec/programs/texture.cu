// A texture object over a CUDA array.
#include <cstdio>
__global__ void k(cudaTextureObject_t t, float* o) {
    o[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 1.5f);
}
int main() {
    float h[4][8];
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 8; ++x) h[y][x] = 10 * y + x;
    cudaArray_t a;
    auto f = cudaCreateChannelDesc<float>();
    cudaMallocArray(&a, &f, 8, 4);
    cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 4, cudaMemcpyHostToDevice);
    cudaResourceDesc r{};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d{};
    d.readMode = cudaReadModeElementType;
    cudaTextureObject_t t;
    cudaCreateTextureObject(&t, &r, &d, nullptr);
    float* o;
    cudaMallocManaged(&o, 32);
    k<<<1, 8>>>(t, o);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8; ++i) printf("%g ", o[i]);
    puts("");
    cudaDestroyTextureObject(t);
    cudaFreeArray(a);
    cudaFree(o);
}
