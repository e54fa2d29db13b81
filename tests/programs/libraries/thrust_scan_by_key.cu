#include <thrust/device_vector.h>
#include <thrust/scan.h>
#include "check.h"
int main() {
    const std::vector<int> keys = {0, 0, 0, 1, 1, 2, 3, 3}, ones(8, 1);
    thrust::device_vector<int> k = keys, v = ones, s(8);
    thrust::inclusive_scan_by_key(k.begin(), k.end(), v.begin(), s.begin());
    expect("scan_by_key", from_device(thrust::raw_pointer_cast(s.data()), 8), {1, 2, 3, 1, 2, 1, 1, 2});
}
