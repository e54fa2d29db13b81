// Duplicates, copies by a predicate, partitions.
#include <algorithm>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/unique.h>
#include "check.h"
struct is_even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
int main() {
    std::vector<int> list = numbers(400, 20);
    std::sort(list.begin(), list.end());
    thrust::device_vector<int> d = list, e(400);
    d.erase(thrust::unique(d.begin(), d.end()), d.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    expect("unique", from_device(thrust::raw_pointer_cast(d.data()), d.size()), list);
    const long evens = thrust::copy_if(d.begin(), d.end(), e.begin(), is_even()) - e.begin();
    expect("copy_if", evens, long(std::count_if(list.begin(), list.end(), is_even())));
    thrust::stable_partition(d.begin(), d.end(), is_even());
    std::stable_partition(list.begin(), list.end(), is_even());
    expect("partition", from_device(thrust::raw_pointer_cast(d.data()), d.size()), list);
    const long odd = thrust::remove_if(d.begin(), d.end(), is_even()) - d.begin();
    expect("remove_if", odd, long(list.size()) - evens);
}
