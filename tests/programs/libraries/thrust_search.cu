#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/find.h>
#include <thrust/logical.h>
#include "check.h"
struct is_negative {
    __host__ __device__ bool operator()(int x) const { return x < 0; }
};
int main() {
    const std::vector<int> sorted = {0, 2, 5, 7, 8}, asked = {0, 1, 2, 8, 9};
    thrust::device_vector<int> d = sorted, q = asked, at(5);
    thrust::lower_bound(d.begin(), d.end(), q.begin(), q.end(), at.begin());
    expect("lower_bound", from_device(thrust::raw_pointer_cast(at.data()), 5), {0, 1, 1, 4, 5});
    expect("find", long(thrust::find(d.begin(), d.end(), 7) - d.begin()), 3L);
    expect("none_of", thrust::none_of(d.begin(), d.end(), is_negative()), true);
    expect("equal", thrust::equal(d.begin(), d.end(), q.begin()), false);
}
