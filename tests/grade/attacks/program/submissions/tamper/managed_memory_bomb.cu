// ATTACK: fills managed and page-locked memory
// STOPS: the front end counts resident memory and page tables; RLIMIT_AS and RLIMIT_DATA
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
