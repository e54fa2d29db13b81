// Counting, constant, transform, zip and permutation iterators.
#include <thrust/device_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/reduce.h>
#include <thrust/tuple.h>
#include "check.h"
struct cube {
    __host__ __device__ long operator()(long x) const { return x * x * x; }
};
struct multiply_in_place {
    template <class Tuple>
    __host__ __device__ void operator()(Tuple t) const {
        thrust::get<2>(t) = thrust::get<0>(t) * thrust::get<1>(t);
    }
};
int main() {
    auto count = thrust::make_counting_iterator(1L);
    auto cubes = thrust::make_transform_iterator(count, cube());
    expect("cubes", thrust::reduce(thrust::device, cubes, cubes + 100), 25502500L);
    thrust::device_vector<int> a(4), b(4, 3), c(4);
    thrust::copy(thrust::make_counting_iterator(5), thrust::make_counting_iterator(9), a.begin());
    auto zip = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin(), c.begin()));
    thrust::for_each(zip, zip + 4, multiply_in_place());
    expect("zip", from_device(thrust::raw_pointer_cast(c.data()), 4), {15, 18, 21, 24});
    const std::vector<int> order = {3, 0, 2};
    thrust::device_vector<int> map = order;
    auto chosen = thrust::make_permutation_iterator(c.begin(), map.begin());
    expect("permutation", thrust::reduce(chosen, chosen + 3), 60);
    auto sevens = thrust::make_constant_iterator(7);
    expect("constant", thrust::reduce(thrust::device, sevens, sevens + 10), 70);
}
