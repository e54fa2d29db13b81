#include <cuda_runtime.h>

half a[64], b[64], sum[64];
float in[32];
nv_bfloat16 out[32];
long long numbers[4];

template <class T>
T* on_device(const T* from, int count) {
    T* to = nullptr;
    cudaMalloc(&to, count * sizeof(T));
    cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice);
    return to;
}

template <class T>
void take_back(T* to, T* from, int count) {
    cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(from);
}

void run_add() {
    half *x = on_device(a, 64), *y = on_device(b, 64), *z = on_device(sum, 64);
    add<<<2, 32, 256>>>(z, x, y, 64);
    take_back(sum, z, 64);
    cudaFree(x);
    cudaFree(y);
}

void run_narrow() {
    float* x = on_device(in, 32);
    nv_bfloat16* y = on_device(out, 32);
    narrow<<<1, 32>>>(y, x, 32);
    take_back(out, y, 32);
    cudaFree(x);
}

void run_next() {
    long long* x = on_device(numbers, 4);
    next<<<1, 32>>>(x, 4);
    take_back(numbers, x, 4);
}
