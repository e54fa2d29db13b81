// An explicit instantiation that doesn't repeat __host__ __device__, which nvcc takes and clang does not.
#include <cstdio>

template <class T>
__host__ __device__ T square(T x) {
    return x * x;
}
template int square<int>(int);

__global__ void show() { printf("%d\n", square(7)); }

int main() {
    show<<<1, 1>>>();
    cudaDeviceSynchronize();
    std::printf("%d\n", square(8));
}
