// ATTACK: prints when and where it was compiled
// STOPS: SOURCE_DATE_EPOCH, a ctime(3) of the worker's own, no random addresses
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <unistd.h>

int main() { printf("%s %s %s %d %p\n", __DATE__, __TIME__, __FILE__, getpid(), (void*)&puts); }
