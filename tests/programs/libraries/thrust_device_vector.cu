// A vector on the device: constructors, element access, resize, copies to and from the host.
#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/host_vector.h>
#include <thrust/sequence.h>
#include "check.h"
int main() {
    thrust::device_vector<int> d(10, 1);
    thrust::fill(d.begin(), d.begin() + 7, 9);
    d[9] = 4;
    thrust::host_vector<int> h(d.begin(), d.end());
    expect("fill", std::vector<int>(h.begin(), h.end()), {9, 9, 9, 9, 9, 9, 9, 1, 1, 4});
    d.resize(4);
    thrust::sequence(d.begin(), d.end(), 10, 5);
    expect("sequence", from_device(thrust::raw_pointer_cast(d.data()), d.size()), {10, 15, 20, 25});
}
