#include <thrust/device_vector.h>
#include <thrust/gather.h>
#include <thrust/scatter.h>
#include "check.h"
int main() {
    const std::vector<int> map = {4, 2, 0, 1, 3}, values = {10, 11, 12, 13, 14};
    thrust::device_vector<int> m = map, v = values, g(5), s(5);
    thrust::gather(m.begin(), m.end(), v.begin(), g.begin());
    thrust::scatter(v.begin(), v.end(), m.begin(), s.begin());
    expect("gather", from_device(thrust::raw_pointer_cast(g.data()), 5), {14, 12, 10, 11, 13});
    expect("scatter", from_device(thrust::raw_pointer_cast(s.data()), 5), {12, 13, 11, 14, 10});
}
