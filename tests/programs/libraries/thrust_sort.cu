// sort, in both directions, by a functor, and of a key with its values.
#include <algorithm>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/sort.h>
#include "check.h"
struct by_last_digit {
    __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};
int main() {
    std::vector<int> list = numbers(3000, 100000);
    thrust::device_vector<int> d = list;
    thrust::sort(d.begin(), d.end(), thrust::greater<int>());
    std::vector<int> wanted = list;
    std::sort(wanted.begin(), wanted.end(), std::greater<int>());
    expect("sort", from_device(thrust::raw_pointer_cast(d.data()), d.size()), wanted);
    thrust::stable_sort(d.begin(), d.end(), by_last_digit());
    std::stable_sort(wanted.begin(), wanted.end(), by_last_digit());
    expect("stable_sort", from_device(thrust::raw_pointer_cast(d.data()), d.size()), wanted);
}
