// ATTACK: prints when and where it was compiled
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <unistd.h>

int main() { printf("%s %s %s %d %p\n", __DATE__, __TIME__, __FILE__, getpid(), (void*)&puts); }
