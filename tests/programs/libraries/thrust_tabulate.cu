#include <thrust/adjacent_difference.h>
#include <thrust/device_vector.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/tabulate.h>
#include "check.h"
struct triangle {
    __host__ __device__ int operator()(int i) const { return i * (i + 1) / 2; }
};
int main() {
    thrust::device_vector<int> d(6), e(6);
    thrust::tabulate(d.begin(), d.end(), triangle());
    expect("tabulate", from_device(thrust::raw_pointer_cast(d.data()), 6), {0, 1, 3, 6, 10, 15});
    thrust::adjacent_difference(d.begin(), d.end(), e.begin());
    thrust::replace(e.begin(), e.end(), 3, -3);
    thrust::reverse(e.begin(), e.end());
    expect("differences", from_device(thrust::raw_pointer_cast(e.data()), 6), {5, 4, -3, 2, 1, 0});
}
