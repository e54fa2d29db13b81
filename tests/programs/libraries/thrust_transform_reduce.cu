// A norm, an inner product and a histogram's mean, each by one pass.
#include <thrust/device_vector.h>
#include <thrust/inner_product.h>
#include <thrust/transform_reduce.h>
#include <cmath>
#include "check.h"
struct square {
    __host__ __device__ double operator()(double x) const { return x * x; }
};
int main() {
    thrust::device_vector<double> v(100, 3.0), w(100, 0.5);
    expect("norm", std::sqrt(thrust::transform_reduce(v.begin(), v.end(), square(), 0.0, thrust::plus<double>())), 30.0);
    expect("inner_product", thrust::inner_product(v.begin(), v.end(), w.begin(), 1.0), 151.0);
}
