// The standard library in device code: array, tuple, optional, span, numeric limits, bit operations.
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include "check.h"
__device__ cuda::std::optional<int> halved(int x) {
    if (x % 2) return cuda::std::nullopt;
    return x / 2;
}
__device__ int sum(cuda::std::span<const int> list) {
    int total = 0;
    for (int each : list) total += each;
    return total;
}
__global__ void use(int* out) {
    const cuda::std::array<int, 4> list = {1, 2, 3, 4};
    out[0] = sum(list);
    out[1] = halved(10).value_or(-1);
    out[2] = halved(7).value_or(-1);
    auto [quotient, rest] = cuda::std::make_tuple(17 / 5, 17 % 5);
    out[3] = quotient * 10 + rest;
    out[4] = cuda::std::popcount(0xf0f0u) + cuda::std::countl_zero(1u);
    out[5] = cuda::std::numeric_limits<short>::max();
}
int main() {
    int* out = to_device(std::vector<int>(6));
    use<<<1, 1>>>(out);
    expect("std", from_device(out, 6), {10, 5, -1, 32, 8 + 31, 32767});
    cudaFree(out);
}
