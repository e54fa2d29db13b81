// transform and for_each with lambdas that capture; two of one function take the same parameters.
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/transform.h>
#include "check.h"
int main() {
    const std::vector<int> x = {1, 2, 3, 4};
    thrust::device_vector<int> dx = x, dy(4);
    const int a = 5;
    // The device's compiler counts this one, for which the host's makes no code.
    if (false) thrust::transform(dx.begin(), dx.end(), dy.begin(), [=] __device__(int value) { return -value; });
    thrust::transform(dx.begin(), dx.end(), dy.begin(), [=] __device__(int value) { return a * value; });
    expect("first lambda", from_device(thrust::raw_pointer_cast(dy.data()), 4), {5, 10, 15, 20});
    thrust::transform(dx.begin(), dx.end(), dy.begin(), [=] __device__(int value) { return value - a; });
    expect("second lambda", from_device(thrust::raw_pointer_cast(dy.data()), 4), {-4, -3, -2, -1});
    thrust::for_each(dy.begin(), dy.end(), [=] __device__(int& value) { value += a; });
    expect("for_each", from_device(thrust::raw_pointer_cast(dy.data()), 4), {1, 2, 3, 4});
}
