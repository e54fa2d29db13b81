// ATTACK: reads a device at compile time
// STOPS: the process ends, and with it the run
// POINTS: 0
// FAILS: compiles
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "/dev/zero"
int main() {}
