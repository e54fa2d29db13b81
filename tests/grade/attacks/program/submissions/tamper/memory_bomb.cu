// ATTACK: takes memory (2 GB at most)
// STOPS: the front end counts resident memory and page tables; RLIMIT_AS and RLIMIT_DATA
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main() {
    for (int i = 0; i < 2000; ++i) {
        char* block = (char*)malloc(1 << 20);
        if (!block) break;
        memset(block, i, 1 << 20);
    }
}
