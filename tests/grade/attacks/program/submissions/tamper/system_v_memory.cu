// ATTACK: keeps memory in segments of System V
// STOPS: seccomp
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <sys/ipc.h>
#include <sys/shm.h>

int main() {
    if (shmget(IPC_PRIVATE, 1 << 20, 0600) >= 0) puts("LEAK: a segment");
}
