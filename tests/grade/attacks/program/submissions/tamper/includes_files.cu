// ATTACK: reads files at compile time
// STOPS: Landlock; file tree
// POINTS: 0
// FAILS: compiles
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "/etc/passwd"
int main() {}
