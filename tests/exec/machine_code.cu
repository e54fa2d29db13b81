// A kernel that runs long becomes machine code: LLVM is loaded then, and not before. With `exit`, the program ends while the
// kernel may still be compiled.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

__global__ void collatz(unsigned* steps, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned count = 0;
    for (unsigned long long x = i + 1; x != 1; ++count) x = x % 2 ? 3 * x + 1 : x / 2;
    steps[i] = count;
}

static bool has_compiler() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find("libcudash_jit.so") != std::string::npos) return true;
    return false;
}

int main(int count, char** arguments) {
    constexpr unsigned n = 1 << 21;
    unsigned* steps;
    cudaMallocManaged(&steps, n * sizeof(unsigned));
    collatz<<<1, 256>>>(steps, 256);
    cudaDeviceSynchronize();
    printf("%d\n", has_compiler());
    collatz<<<n / 256, 256>>>(steps, n);
    if (count > 1 && std::strcmp(arguments[1], "exit") == 0) std::exit(3);
    cudaDeviceSynchronize();
    unsigned long long sum = 0;
    for (unsigned i = 0; i < n; ++i) sum += steps[i];
    printf("%d %llu\n", has_compiler(), sum);
    cudaFree(steps);
}
