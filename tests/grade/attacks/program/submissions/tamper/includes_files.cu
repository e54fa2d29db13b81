// ATTACK: reads files at compile time
// POINTS: 0
// FAILS: compiles
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "/etc/passwd"
int main() {}
