// A signal ends the program while memory is allocated and a kernel is pending: what was printed stays.
#include <csignal>
#include <cstdio>
__global__ void k(int* p) {
    *p = 1;
}
int main() {
    int* p;
    cudaMalloc(&p, sizeof *p);
    printf("before\n");
    fflush(stdout);
    k<<<1, 1>>>(p);
    raise(SIGTERM);
    printf("not reached\n");
}
