// The estimate of pi: a generator of random numbers in each thread, the same sums on the host.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/random.h>
#include <thrust/transform_reduce.h>
#include <thrust/execution_policy.h>
#include "check.h"
struct hits {
    __host__ __device__ int operator()(unsigned seed) const {
        thrust::default_random_engine engine(seed * 7919u + 1u);
        thrust::uniform_real_distribution<double> from_0_to_1(0, 1);
        int inside = 0;
        for (int i = 0; i < 20; ++i) {
            const double x = from_0_to_1(engine), y = from_0_to_1(engine);
            inside += x * x + y * y <= 1;
        }
        return inside;
    }
};
int main() {
    int wanted = 0;
    for (unsigned i = 0; i < 500; ++i) wanted += hits()(i);
    auto first = thrust::make_counting_iterator(0u);
    expect("hits", thrust::transform_reduce(thrust::device, first, first + 500, hits(), 0, thrust::plus<int>()), wanted);
}
