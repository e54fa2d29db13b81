// _exit(): no handler runs.
#include <unistd.h>
#include <cstdio>
int main() {
    int* q;
    cudaMalloc(&q, 32);
    printf("lost\n");
    fflush(stdout);
    _exit(5);
}
