// fork() after CUDA calls: the copy has no device.
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
__global__ void k(int* p) {
    *p = 5;
}
int main() {
    int* p;
    cudaMalloc(&p, 4);
    if (fork() == 0) {
        int* q;
        printf("child %s\n", cudaGetErrorName(cudaMalloc(&q, 4)));
        return 7;
    }
    int st;
    wait(&st);
    k<<<1, 1>>>(p);
    int h;
    cudaMemcpy(&h, p, 4, cudaMemcpyDefault);
    printf("parent %d %d\n", WEXITSTATUS(st), h);
    cudaFree(p);
}
