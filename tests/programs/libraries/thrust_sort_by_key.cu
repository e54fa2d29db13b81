#include <thrust/device_vector.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <algorithm>
#include <numeric>
#include "check.h"
int main() {
    std::vector<int> keys = numbers(1000, 50), values(1000);
    std::iota(values.begin(), values.end(), 0);
    thrust::device_vector<int> k = keys, v(1000);
    thrust::sequence(v.begin(), v.end());
    thrust::stable_sort_by_key(k.begin(), k.end(), v.begin());
    std::stable_sort(values.begin(), values.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    expect("sort_by_key", from_device(thrust::raw_pointer_cast(v.data()), v.size()), values);
}
