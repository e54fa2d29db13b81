#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/scan.h>
#include "check.h"
int main() {
    std::vector<int> list = numbers(2500, 10), wanted(2500);
    thrust::device_vector<int> d = list, s(list.size());
    thrust::inclusive_scan(d.begin(), d.end(), s.begin());
    std::partial_sum(list.begin(), list.end(), wanted.begin());
    expect("inclusive_scan", from_device(thrust::raw_pointer_cast(s.data()), s.size()), wanted);
    thrust::exclusive_scan(d.begin(), d.end(), s.begin(), 5);
    std::exclusive_scan(list.begin(), list.end(), wanted.begin(), 5);
    expect("exclusive_scan", from_device(thrust::raw_pointer_cast(s.data()), s.size()), wanted);
}
