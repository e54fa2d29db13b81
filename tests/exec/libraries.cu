// cuBLAS, cuFFT and cuRAND in a program that nvcc built.
#include <cublas_v2.h>
#include <cufftXt.h>
#include <curand.h>

#include <cstdio>

__global__ void triple(float* x) { x[threadIdx.x] *= 3; }

int main() {
    constexpr int n = 8;
    float *numbers, *sums;
    cudaMalloc(&numbers, n * sizeof(float));
    cudaMalloc(&sums, n * sizeof(float));
    cudaStream_t stream;
    cudaStreamCreate(&stream);

    curandGenerator_t generator;
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    curandSetPseudoRandomGeneratorSeed(generator, 1234);
    curandSetStream(generator, stream);
    curandGenerateUniform(generator, numbers, n);
    triple<<<1, n, 0, stream>>>(numbers);

    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSetStream(handle, stream);
    const float two = 2, zero = 0;
    // A product of 2 x 4 by 4 x 2.
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 4, &two, numbers, 2, numbers, 4, &zero, sums, 2);
    float host[n];
    cudaMemcpyAsync(host, numbers, sizeof host, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (const float value : host) std::printf("%.6f ", value);
    float product[4];
    cublasGetMatrix(2, 2, sizeof(float), sums, 2, product, 2);
    std::printf("\n%.4f %.4f %.4f %.4f\n", product[0], product[1], product[2], product[3]);

    float norm = 0;
    cublasSnrm2(handle, n, numbers, 1, &norm);
    std::printf("%.5f\n", norm);
    std::printf("%d\n", cublasSetPointerMode(nullptr, CUBLAS_POINTER_MODE_HOST));
    const cublasStatus_t status = cublasSscal(handle, n, &two, host, 1);
    std::printf("%s\n", cublasGetStatusName(status));

    cufftComplex *spectrum, host_spectrum[n / 2 + 1];
    cudaMalloc(&spectrum, sizeof host_spectrum);
    cufftHandle plan;
    cufftPlan1d(&plan, n, CUFFT_R2C, 1);
    cufftSetStream(plan, stream);
    cufftExecR2C(plan, numbers, spectrum);
    cudaMemcpyAsync(host_spectrum, spectrum, sizeof host_spectrum, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (const cufftComplex value : host_spectrum) std::printf("%.4f%+.4fi ", value.x, value.y);
    std::printf("\n%d %d\n", cufftDestroy(plan), cufftXtSetGPUs(plan, 0, nullptr));
    cudaFree(spectrum);
    cublasDestroy(handle);
    curandDestroyGenerator(generator);
    cudaStreamDestroy(stream);
    cudaFree(numbers);
    cudaFree(sums);
}
