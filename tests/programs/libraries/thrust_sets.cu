#include <thrust/device_vector.h>
#include <thrust/merge.h>
#include <thrust/set_operations.h>
#include "check.h"
int main() {
    const std::vector<int> one = {1, 3, 5, 7, 9}, two = {3, 4, 5, 6};
    thrust::device_vector<int> a = one, b = two, r(9);
    thrust::merge(a.begin(), a.end(), b.begin(), b.end(), r.begin());
    expect("merge", from_device(thrust::raw_pointer_cast(r.data()), 9), {1, 3, 3, 4, 5, 5, 6, 7, 9});
    const long both = thrust::set_intersection(a.begin(), a.end(), b.begin(), b.end(), r.begin()) - r.begin();
    expect("set_intersection", from_device(thrust::raw_pointer_cast(r.data()), both), {3, 5});
}
