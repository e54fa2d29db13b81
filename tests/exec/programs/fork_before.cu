// fork() before CUDA calls: each copy has a device of its own.
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
__global__ void k(int* p) {
    *p = 5;
}
int main() {
    for (int i = 0; i < 2; ++i)
        if (fork() == 0) {
            int* p;
            cudaMalloc(&p, 4);
            k<<<1, 1>>>(p);
            int h = 0;
            cudaMemcpy(&h, p, 4, cudaMemcpyDefault);
            printf("child %d\n", h);
            cudaFree(p);
            return 0;
        }
    while (wait(nullptr) > 0)
        ;
    printf("parent\n");
}
