// transform with functors and placeholders.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/transform.h>
#include "check.h"
struct saxpy {
    float a;
    __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
int main() {
    const std::vector<float> x = {1, 2, 3, 4}, y = {10, 20, 30, 40};
    thrust::device_vector<float> dx = x, dy = y;
    thrust::transform(dx.begin(), dx.end(), dy.begin(), dy.begin(), saxpy{2});
    expect("saxpy", from_device(thrust::raw_pointer_cast(dy.data()), 4), {12, 24, 36, 48});
    using namespace thrust::placeholders;
    thrust::transform(dx.begin(), dx.end(), dx.begin(), _1 * _1 - 1);
    expect("placeholder", from_device(thrust::raw_pointer_cast(dx.data()), 4), {0, 3, 8, 15});
}
