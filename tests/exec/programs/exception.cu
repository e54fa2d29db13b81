// An exception that nobody catches.
#include <cstdio>
#include <stdexcept>
int main() {
    int* q;
    cudaMalloc(&q, 32);
    printf("before\n");
    throw std::runtime_error("no luck");
}
