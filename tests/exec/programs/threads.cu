// Host threads that launch at the same time.
#include <cstdio>
#include <thread>
#include <vector>
__global__ void k(int* p, int v) {
    p[threadIdx.x] = v;
}
int main() {
    std::vector<std::thread> ts;
    int r[4];
    for (int t = 0; t < 4; ++t)
        ts.emplace_back([t, &r] {
            int* p;
            cudaMalloc(&p, 128);
            k<<<1, 32>>>(p, t * t);
            cudaMemcpy(&r[t], p + 7, 4, cudaMemcpyDeviceToHost);
            cudaFree(p);
        });
    for (auto& t : ts) t.join();
    printf("%d %d %d %d\n", r[0], r[1], r[2], r[3]);
}
