// Sums, products, extremes and counts.
#include <algorithm>
#include <numeric>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/reduce.h>
#include "check.h"
int main() {
    std::vector<int> list = numbers(5000, 1000);
    thrust::device_vector<int> d = list;
    expect("reduce", thrust::reduce(d.begin(), d.end()), std::accumulate(list.begin(), list.end(), 0));
    expect("maximum", thrust::reduce(d.begin(), d.end(), -1, thrust::maximum<int>()), *std::max_element(list.begin(), list.end()));
    expect("max_element", long(thrust::max_element(d.begin(), d.end()) - d.begin()), long(std::max_element(list.begin(), list.end()) - list.begin()));
    expect("count", long(thrust::count(d.begin(), d.end(), 7)), long(std::count(list.begin(), list.end(), 7)));
}
