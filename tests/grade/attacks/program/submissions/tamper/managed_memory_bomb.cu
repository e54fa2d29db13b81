// ATTACK: fills managed and page-locked memory
// POINTS: 0
// FAILS: the answer
#include <cstring>
#include <cuda_runtime.h>

int main() {
    for (;;) {
        char *managed = nullptr, *locked = nullptr;
        if (cudaMallocManaged(&managed, 1 << 26) == cudaSuccess) memset(managed, 1, 1 << 26);
        if (cudaMallocHost(&locked, 1 << 26) == cudaSuccess) memset(locked, 1, 1 << 26);
    }
}
