#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include "check.h"
int main() {
    const std::vector<int> keys = {1, 1, 1, 4, 4, 2, 2, 2, 2, 9}, values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    thrust::device_vector<int> k = keys, v = values, found(10), sums(10);
    auto end = thrust::reduce_by_key(k.begin(), k.end(), v.begin(), found.begin(), sums.begin());
    const int count = end.first - found.begin();
    expect("keys", from_device(thrust::raw_pointer_cast(found.data()), count), {1, 4, 2, 9});
    expect("sums", from_device(thrust::raw_pointer_cast(sums.data()), count), {6, 9, 30, 10});
}
