// ATTACK: ends well before it has done anything
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main() {
    puts("passed");
    exit(0);
}
