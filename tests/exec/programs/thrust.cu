// Thrust: containers and algorithms.
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <cstdio>
int main() {
    thrust::device_vector<int> v(1000);
    for (int i = 0; i < 1000; ++i) v[i] = (i * 7919) % 1000;
    thrust::sort(v.begin(), v.end());
    int s = thrust::reduce(v.begin(), v.end());
    thrust::transform(v.begin(), v.end(), v.begin(), [] __host__ __device__(int x) { return 2 * x; });
    printf("%d %d %d\n", (int)v[3], (int)v[999], s);
}
