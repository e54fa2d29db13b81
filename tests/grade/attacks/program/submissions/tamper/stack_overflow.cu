// ATTACK: calls itself without end
// STOPS: the process ends, and with it the run
// POINTS: 0
// FAILS: the answer
// SAYS: stack overflow
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static int deeper(volatile int depth) {
    volatile char room[1024];
    room[depth % 1024] = 1;
    return deeper(depth + 1) + room[0];
}
int main() { return deeper(0); }
