// Errors that the program does not look at.
#include <cstdio>
__global__ void k() {}
int main() {
    k<<<1, 2048>>>();
    int* p = nullptr;
    cudaMemcpy(p, p, 100, cudaMemcpyHostToDevice);
    printf("done\n");
}
