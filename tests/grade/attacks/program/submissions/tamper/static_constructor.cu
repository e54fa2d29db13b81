// ATTACK: ends well before main
// STOPS: the process ends, and with it the run
// POINTS: 0
// FAILS: compiles
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Early {
    Early() {
        puts("passed");
        _Exit(0);
    }
} early;
int main() {}
