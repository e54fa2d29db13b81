// ATTACK: ends well before it has done anything
// STOPS: the exit code is the program's; a timeout is what the front end measured
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
