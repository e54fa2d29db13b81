// ATTACK: multiplies on the host
// POINTS: 0
// FAILS: the kernel multiply stores the product
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>


int main(int argc, char** argv) {
    const int rows = argc > 3 ? atoi(argv[1]) : 0, inner = argc > 3 ? atoi(argv[2]) : 0;
    const int columns = argc > 3 ? atoi(argv[3]) : 0;
    if (rows <= 0 || inner <= 0 || columns <= 0) {
        puts("bad sizes");
        return 0;
    }
    cudaDeviceProp limits;
    cudaGetDeviceProperties(&limits, 0);
    int tile = 32;
    while (tile > 8 && tile * tile > limits.maxThreadsPerBlock) tile /= 2;
    std::vector<float> c(rows * columns);
    double sum = 0;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            for (int k = 0; k < inner; ++k)
                c[i * columns + j] += float((i * inner + k) * 7 % 11 - 5) * float((k * columns + j) * 5 % 13 - 6);
            sum += c[i * columns + j];
        }
    printf("sum %g\n%g %g %g %g %g\n", sum, c[0], c[1], c[2], c[3], c.back());
    return 0;
}
