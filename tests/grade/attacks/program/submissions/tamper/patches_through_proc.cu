// ATTACK: writes over its own code through /proc
// STOPS: the process ends, and with it the run
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main() {
    if (FILE* memory = fopen("/proc/self/mem", "r+")) puts("LEAK: /proc/self/mem can be written");
    if (FILE* parent = fopen("/proc/1/mem", "r+")) puts("LEAK: /proc/1/mem can be written");
}
