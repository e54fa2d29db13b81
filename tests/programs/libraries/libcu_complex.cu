// Complex numbers of libcu++ and of Thrust.
#include <cuda/std/complex>
#include <thrust/complex.h>
#include "check.h"
__global__ void multiply(cuda::std::complex<float>* a, thrust::complex<double>* b) {
    a[threadIdx.x] = a[threadIdx.x] * cuda::std::complex<float>(0, 1);
    b[threadIdx.x] = thrust::conj(b[threadIdx.x]) + 1.0;
}
int main() {
    const std::vector<cuda::std::complex<float>> a = {{1, 2}, {3, -4}};
    const std::vector<thrust::complex<double>> b = {{1, 2}, {3, -4}};
    auto* da = to_device(a);
    auto* db = to_device(b);
    multiply<<<1, 2>>>(da, db);
    const auto ra = from_device(da, 2);
    const auto rb = from_device(db, 2);
    expect("complex", {ra[0].real(), ra[0].imag(), ra[1].real(), ra[1].imag()}, std::vector<float>{-2, 1, 4, 3});
    expect("thrust", {rb[0].real(), rb[0].imag(), rb[1].real(), rb[1].imag()}, std::vector<double>{2, -2, 4, 4});
    cudaFree(da);
    cudaFree(db);
}
