// cuRAND: numbers that kernels draw from a Poisson distribution of the host's making, by their mean and variance.
#include <curand.h>
#include <curand_kernel.h>
#include <cmath>
#include "check.h"

__global__ void draw(curandDiscreteDistribution_t distribution, unsigned* results, int each) {
    curandStatePhilox4_32_10_t state;
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(1234, thread, 0, &state);
    for (int i = 0; i < each; ++i) results[thread * each + i] = curand_discrete(&state, distribution);
}

bool fits(double lambda) {
    curandDiscreteDistribution_t distribution;
    if (curandCreatePoissonDistribution(lambda, &distribution) != CURAND_STATUS_SUCCESS) return false;
    constexpr int threads = 512, each = 40, count = threads * each;
    unsigned* results;
    cudaMalloc(&results, count * sizeof(unsigned));
    draw<<<4, threads / 4>>>(distribution, results, each);
    const auto numbers = from_device(results, count);
    double mean = 0, variance = 0;
    for (const unsigned number : numbers) mean += double(number) / count;
    for (const unsigned number : numbers) variance += (number - mean) * (number - mean) / count;
    std::printf("%g: %g, %g\n", lambda, mean, variance);
    cudaFree(results);
    const bool destroyed = curandDestroyDistribution(distribution) == CURAND_STATUS_SUCCESS;
    return destroyed && std::fabs(mean - lambda) < 5 * std::sqrt(lambda / count) && std::fabs(variance / lambda - 1) < 0.08;
}

int main() {
    expect("a small mean", fits(0.2), true);
    expect("a mean of some", fits(7.5), true);
    expect("a mean of many", fits(300), true);
    expect("a large mean", fits(9000), true);
    curandDiscreteDistribution_t distribution;
    expect("a mean of none", curandCreatePoissonDistribution(-1, &distribution), CURAND_STATUS_OUT_OF_RANGE);

    // cudaDeviceReset frees the distribution; another allocation may get its address.
    curandCreatePoissonDistribution(7.5, &distribution);
    cudaDeviceReset();
    void* other = nullptr;
    for (int i = 0; i < 64 && other != distribution; ++i) cudaMalloc(&other, 512);
    curandDestroyDistribution(distribution);
    int one = 1;
    expect("what has its address now", cudaMemcpy(other, &one, sizeof one, cudaMemcpyHostToDevice), cudaSuccess);
}
