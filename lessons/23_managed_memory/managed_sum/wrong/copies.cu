// REPLY: the host reads where the kernel wrote
#include <vector>
int managed_sum(int n) {
    int* data;
    std::vector<int> host(n);
    cudaMalloc(&data, n * sizeof(int));
    fill<<<(n + 255) / 256, 256>>>(data, n);
    cudaMemcpy(host.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int x : host) sum += x;
    cudaFree(data);
    return sum;
}
