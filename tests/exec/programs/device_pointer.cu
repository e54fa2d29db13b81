// Host code uses a device pointer.
#include <cstdio>
int main() {
    int* p;
    cudaMalloc(&p, 400);
    p[0] = 1;
    printf("never\n");
}
