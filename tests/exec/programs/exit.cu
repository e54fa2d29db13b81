// exit() in the middle: handlers and destructors run, and may call CUDA.
#include <cstdio>
#include <cstdlib>
struct S {
    int* p;
    S() { cudaMalloc(&p, 64); }
    ~S() { printf("freed %s\n", cudaGetErrorName(cudaFree(p))); }
} s;
int main() {
    atexit([] { puts("handler"); });
    int* q;
    cudaMalloc(&q, 32);
    puts("out");
    exit(3);
}
