// A copy to the host of what no kernel has written.
#include <cstdio>
int main() {
    int *d, h[16] = {};
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
    printf("copied\n");
}
